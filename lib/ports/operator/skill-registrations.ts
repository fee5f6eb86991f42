import type { SkillRegistration } from '../../domain/skills/registration.ts';

/** Skill instances registered for consumers, as the operator keeps them. Reads are fresh. */
export interface SkillRegistrations {
  /** The oldest first. */
  of(connection: string): Promise<readonly SkillRegistration[]>;
  /** Adds all or none; answers with a label that the connection has already, when there is one. */
  add(registrations: readonly SkillRegistration[]): Promise<{ readonly taken: string } | undefined>;
  /** False when there is no such registration any more. */
  remove(registration: SkillRegistration): Promise<boolean>;
  /** False when there is no such registration any more. */
  setPaused(registration: SkillRegistration, paused: boolean): Promise<boolean>;
}

import type { ConfiguredInstance } from './check-registration-file.ts';

/** A configured instance that is bound to the consumer connection of a skill executor. */
export interface SkillRegistration extends ConfiguredInstance {
  readonly id: string;
  readonly connection: string;
  readonly paused: boolean;
  readonly createdAt: string;
}

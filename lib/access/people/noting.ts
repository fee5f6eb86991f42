import type { Clock } from '../../contract/outside.ts';
import type sentences from '../../contract/portal/change-sentences.json';
import type { NotRecorded } from '../../contract/portal/work-responses.ts';
import type { NamedPerson } from './members.ts';

export interface Change {
  readonly organisation: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Undefined for the operator's command line at the local service. */
  readonly by: NamedPerson | undefined;
  readonly what: string;
  /** What it was done to, and how: identifiers only, no secret. */
  readonly facts: Readonly<Record<string, string>>;
}

export interface Changes {
  note(change: Change): Promise<void>;
  /**
   * Those between two positions, the newest first; `before` is the last one's `position` of an
   * earlier page.
   */
  of(
    organisation: string,
    page: { readonly max: number; readonly before?: string; readonly after?: string },
  ): Promise<readonly (Change & { readonly position: string })[]>;
}

export interface NotePorts {
  readonly clock: Clock;
  readonly changes: Changes;
}

/** What can stand in the record of changes: each has a sentence that tells it. */
export type ChangeName = keyof typeof sentences;

export interface ChangeNote {
  readonly organisation: string;
  readonly what: ChangeName;
  readonly facts?: Readonly<Record<string, string>>;
}

/**
 * A change that was made is not undone because it could not be recorded: what comes back goes into
 * the response.
 */
export const noteChange = async (
  { changes, clock }: NotePorts,
  by: NamedPerson | undefined,
  change: ChangeNote,
): Promise<NotRecorded> => {
  try {
    await changes.note({ facts: {}, ...change, at: clock.now(), by });
    return {};
  } catch {
    return { not_recorded: true };
  }
};

/** A change that several organisations see: that of a connection, and that of its workspace. */
export interface NotedForAll extends Omit<ChangeNote, 'organisation'> {
  readonly organisations: readonly string[];
}

export const noteForAll = async (
  ports: NotePorts,
  by: NamedPerson | undefined,
  { organisations, ...change }: NotedForAll,
): Promise<NotRecorded> => {
  const noted = await Promise.all(
    [...new Set(organisations)].map(organisation =>
      noteChange(ports, by, { organisation, ...change }),
    ),
  );
  return Object.assign({}, ...noted);
};

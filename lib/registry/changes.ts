import type { NamedPerson } from './members.ts';

export interface Change {
  readonly organisation: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Undefined for the operator's command line. */
  readonly by: NamedPerson | undefined;
  readonly what: string;
  /** What it was done to, and how: identifiers only, no secret. */
  readonly facts: Readonly<Record<string, string>>;
}

export interface Changes {
  note(change: Change): Promise<void>;
  /** The newest first; `before` is the last one's `position` of an earlier page. */
  of(
    organisation: string,
    page: { readonly max: number; readonly before?: string },
  ): Promise<readonly (Change & { readonly position: string })[]>;
}

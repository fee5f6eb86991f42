import type { Entry } from '../domain/delivery/log.ts';

/** Where an entry is in a workspace's archive. */
export interface ArchivePlace {
  readonly correlationId: string;
  readonly number: number;
  readonly acceptedAt: number;
  /** Opaque; later places have greater texts. */
  readonly position: string;
}

export interface ArchivePage {
  readonly places: readonly ArchivePlace[];
}

/** What was accepted, workspace by workspace in the order of time, and per correlation in the log's order. */
export interface Archive {
  /** The first `most` places from `from` on and before `to`, after a position; a moment behind the ledger. */
  page(
    range: { workspace: string; from: number; to: number; after?: string },
    most: number,
  ): Promise<ArchivePage>;
  /** The entries at some places of a page, in the order given; those that expired are left out. */
  entries(
    workspace: string,
    places: readonly ArchivePlace[],
  ): Promise<readonly { readonly place: ArchivePlace; readonly entry: Entry }[]>;
}

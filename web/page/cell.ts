import { useSyncExternalStore } from 'react';

/** Something that parts of the page follow. */
export interface Followed<T> {
  readonly value: T;
  /** @returns stops following */
  subscribe(follow: (value: T) => void): () => void;
}

/** What a cell holds; the component is shown anew when it changes. */
export const useValue = <T>(cell: Followed<T>): T =>
  useSyncExternalStore(
    follow => cell.subscribe(follow),
    () => cell.value,
  );

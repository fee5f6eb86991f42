import { useSyncExternalStore } from 'react';

/** Something that parts of the page follow. */
export interface Followed<T> {
  readonly value: T;
  /** @returns stops following */
  subscribe(follow: (value: T) => void): () => void;
}

/** A value of the whole portal, outside of any component. */
export interface Cell<T> extends Followed<T> {
  value: T;
}

export const cell = <T>(first: T): Cell<T> => {
  let value = first;
  const followers = new Set<(value: T) => void>();
  return {
    get value() {
      return value;
    },
    set value(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const follow of [...followers]) follow(next);
    },
    subscribe(follow) {
      followers.add(follow);
      return () => followers.delete(follow);
    },
  };
};

/** What follows from other cells. */
export const derived = <T>(from: readonly Followed<unknown>[], compute: () => T): Followed<T> => {
  const own = cell(compute());
  for (const one of from)
    one.subscribe(() => {
      own.value = compute();
    });
  return own;
};

/** What a cell holds; the component is shown anew when it changes. */
export const useValue = <T>(followed: Followed<T>): T =>
  useSyncExternalStore(
    follow => followed.subscribe(follow),
    () => followed.value,
  );

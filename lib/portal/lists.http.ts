import { limits } from '../contract/limits.ts';
import type { Entries, Part } from '../contract/outside.ts';
import type { Call } from './calls.http.ts';

export const partIn = ({ request: { query } }: Call, max: number = limits.listPage): Part => ({
  after: query['after'],
  max,
});

/** The part of a list that is read as a whole, because it is bounded where it is made. */
export const partOf = <T>(all: readonly T[], { after, max }: Part, idOf: (one: T) => string): Entries<T> => {
  const from = after === undefined ? 0 : all.findIndex(one => idOf(one) === after) + 1;
  const entries = all.slice(from, from + max);
  const last = from + max < all.length ? entries.at(-1) : undefined;
  return { entries, ...(last ? { next: idOf(last) } : {}) };
};

const positionForm = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)[\w#~.-]{0,500}$/;

/** Whether a text is where a page of what happened can begin or end: a time, and what makes it unique. Absent texts are. */
export const isPosition = (text: string | undefined): boolean => {
  if (text === undefined) return true;
  const [, time = ''] = positionForm.exec(text) ?? [];
  const parsed = new Date(time);
  // An impossible date, such as a thirtieth of February, is parsed as another one.
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString() === time;
};

export const badPosition =
  '"before" and "after" are positions that an earlier page gave, or times: as 2026-05-04T09:00:00.000Z.';

export const nextOf = ({ next }: { readonly next?: string }) => (next === undefined ? {} : { next });

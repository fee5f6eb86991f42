import { limits } from '../contract/limits.ts';
import type { Part } from '../contract/outside.ts';
import type { Call } from './calls.http.ts';

export const partIn = ({ request: { query } }: Call, max: number = limits.listPage): Part => ({
  after: query['after'],
  max,
});

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

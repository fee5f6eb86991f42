import { countMembers } from '../message/count-members.ts';
import { inspectJson } from '../message/inspect-json.ts';
import { jsonIn } from '../message/json-in.ts';

/** The value of a JSON text, or why it has none that can be trusted; `undefined` when it is not JSON at all. */
export type ReadJson =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'fault'; readonly reason: string };

/** Object members in a value, at any depth; without recursion, because JSON.parse reads any depth. */
const membersIn = (value: unknown): number => {
  let members = 0;
  const rest = [value];
  for (let next = rest.pop(); rest.length > 0 || next !== undefined; next = rest.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const inner: unknown[] = Object.values(next);
    if (!Array.isArray(next)) members += inner.length;
    for (const one of inner) if (typeof one === 'object') rest.push(one);
  }
  return members;
};

const repeatedMember = (text: string): string => {
  const repeated = inspectJson(`{"":${text}}`).find(({ rule }) => rule === 'message.duplicate_member');
  const path = repeated?.path?.slice('/'.length);
  return path === undefined ? 'an object names a member twice' : `the member ${path} is there twice`;
};

/** Reads a JSON text. JSON.parse would keep the last of two equal members without a word: here they are a fault. */
export const readJson = (text: string): ReadJson | undefined => {
  const value = jsonIn(text);
  if (value === undefined) return undefined;
  const members = countMembers(Buffer.from(text));
  return membersIn(value) === members
    ? { kind: 'value', value }
    : { kind: 'fault', reason: repeatedMember(text) };
};

import { limits } from '../contract/limits.ts';
import { type BodyForm, bodyMembers } from '../contract/portal/portal-bodies.ts';
import { isJsonObject, type JsonObject, jsonIn } from '../platform/json/value.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

/** Ids become keys of tables, and nothing that exists has a longer one. */
const isId = (value: unknown): boolean => isText(value) && value.length <= limits.idCharacters;

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= limits.listPage && value.every(isText);

const forms: Readonly<
  Record<BodyForm, readonly [fits: (value: unknown) => boolean, words: string]>
> = {
  id: [isId, `a text of at most ${limits.idCharacters} characters`],
  text: [isText, 'a text'],
  flag: [value => typeof value === 'boolean', 'true or false'],
  number: [Number.isFinite, 'a number'],
  texts: [isTexts, `a list of at most ${limits.listPage} texts`],
};

/** What was posted, or what is wrong with it. */
type Posted = { readonly body: JsonObject } | { readonly problem: string };

/**
 * Reads what a page posts, for every call: an object whose members have the forms of
 * `lib/contract/portal/portal-bodies.ts`. A call never sees a value of another form, nor a member
 * that is not in the table.
 */
export const postedBody = (bytes: Uint8Array): Posted => {
  const value = jsonIn(bytes);
  if (!isJsonObject(value)) return { problem: 'The body has to be a JSON object.' };
  const members = Object.entries(bodyMembers).filter(([name]) => Object.hasOwn(value, name));
  for (const [name, form] of members) {
    const [fits, words] = forms[form];
    if (!fits(value[name])) return { problem: `"${name}" has to be ${words}.` };
  }
  return { body: Object.fromEntries(members.map(([name]) => [name, value[name]])) };
};

import { limits } from '../contract/limits.ts';
import { jsonAsWritten } from '../platform/json/as-written.ts';
import { inspectJson } from '../platform/json/inspect.ts';
import { countMembers } from '../platform/json/parse.ts';
import { describeValue, own } from '../platform/json/submitted.ts';
import { isJsonObject, jsonIn, utf8Text } from '../platform/json/value.ts';
import { checkInstances, type InstancesReport } from './check-instances.ts';
import type { SkillRefusal } from './describe-library.ts';
import type { Rulebook } from './library.ts';
import {
  type ReadingOptions,
  readSkillsFile,
  type Submission,
  section,
  type Unreadable,
  unreadable,
} from './skills-file.ts';

/**
 * Object members in a value, at any depth; without recursion, because JSON.parse reads any depth.
 */
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
  const repeated = inspectJson(`{"":${text}}`).find(
    ({ rule }) => rule === 'message.duplicate_member',
  );
  const path = repeated?.path?.slice('/'.length);
  if (path === undefined) return 'an object names a member twice';
  return `the member ${path} is there twice`;
};

/**
 * Reads a JSON text; undefined if it is none. JSON.parse would silently keep the last of two equal
 * members: here they are an error.
 */
const fromJson = (text: string, reading: ReadingOptions): Submission | Unreadable | undefined => {
  const value = jsonIn(text);
  if (value === undefined) return undefined;
  if (membersIn(value) !== countMembers(Buffer.from(text)))
    return unreadable(`The JSON cannot be read: ${repeatedMember(text)}.`);
  return fromValue(reading.isAsWritten ? jsonAsWritten(text) : value, reading);
};

const jsonForms = '{"instance": …}, {"skills": […]}, {"yaml": "…"} or a list of instances';

const fromValue = (value: unknown, reading: ReadingOptions): Submission | Unreadable => {
  if (Array.isArray(value)) return section(value, 'list');
  if (!isJsonObject(value))
    return unreadable(`The JSON body is ${describeValue(value)}; it has to be ${jsonForms}.`);
  const forms = ['instance', 'skills', 'yaml'].filter(form => Object.hasOwn(value, form));
  if (forms.length !== 1) {
    const state = forms.length === 0 ? 'none of instance, skills and yaml' : forms.join(' and ');
    return unreadable(`The JSON body has ${state}; it has to be ${jsonForms}.`);
  }
  if (forms[0] === 'instance')
    return { kind: 'submission', checked: 'instance', instances: [own(value, 'instance')] };
  if (forms[0] === 'skills') return section(own(value, 'skills'), 'list');
  const yaml = own(value, 'yaml');
  if (typeof yaml !== 'string')
    return unreadable(`yaml is ${describeValue(yaml)}, but has to be the text of a skills file.`);
  return readSkillsFile(yaml, reading);
};

const readText = (body: Uint8Array): { kind: 'text'; text: string } | Unreadable => {
  if (body.length > limits.skillBodyBytes)
    return unreadable(
      `There are ${body.length} bytes; at most ${limits.skillBodyBytes} ` +
        `(${limits.skillBodyBytes / 1024} KB) are read.`,
    );
  const text = utf8Text(body);
  if (text === undefined) return unreadable('The bytes are not UTF-8.');
  if (text.trim() === '') return unreadable('There is nothing to read: the body is empty.');
  return { kind: 'text', text };
};

const yamlTypes = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'];

/**
 * The instances of a request body. A body of a YAML type is read as YAML. Any other is read as
 * JSON, then as YAML, because callers often send a wrong type or none.
 */
export const readSubmission = (
  body: Uint8Array,
  mediaType: string,
  reading: ReadingOptions = {},
): Submission | Unreadable => {
  const read = readText(body);
  if (read.kind === 'unreadable') return read;
  const json = yamlTypes.includes(mediaType) ? undefined : fromJson(read.text, reading);
  if (json) return json;
  const file = readSkillsFile(read.text, reading);
  if (file.kind === 'unreadable' && mediaType === 'application/json')
    return unreadable(`The body is not JSON. ${file.message}`);
  return file;
};

/**
 * Checks configured skill instances. `mediaType` is the type without its parameters, in lower case,
 * empty when none was sent. Nothing is stored.
 */
export const validateSkills =
  (rulebook: Rulebook) =>
  (
    body: Uint8Array,
    mediaType: string,
  ): { kind: 'checked'; report: InstancesReport } | SkillRefusal => {
    const submission = readSubmission(body, mediaType);
    if (submission.kind === 'unreadable')
      return { kind: 'refused', code: 'skills.unreadable', message: submission.message };
    return { kind: 'checked', report: checkInstances(submission, rulebook) };
  };

import type { SkillField } from './library.ts';
import { nearest } from './nearest.ts';
import type { StoryPaths } from './story-paths.ts';
import { isText, textFault } from './text-fault.ts';
import { describeValue, hint, listing } from './words.ts';

/** What the values of one instance are checked against besides their fields. */
export interface InstanceContext {
  readonly paths: StoryPaths;
  /** The instance's authorities, senior first; undefined when it gives no usable scale. */
  readonly scale: readonly string[] | undefined;
}

export interface FieldContext extends InstanceContext {
  readonly field: SkillField;
}

/** Sentences, found as they are asked for. */
export type Problems = Iterable<string>;

/** Checks one value; `place` names it in the sentences. */
export type Check = (value: unknown, place: string, context: FieldContext) => Problems;

const none: Problems = [];

export const text: Check = (value, place) => {
  const fault = textFault(value);
  return fault === undefined ? none : [`${place} ${fault}.`];
};

const whenText =
  (judge: (value: string, place: string, context: FieldContext) => Problems): Check =>
  (value, place, context) =>
    isText(value) ? judge(value, place, context) : text(value, place, context);

/** Nothing when the value is among the allowed ones; otherwise the sentence that lists them. */
export const oneOf =
  (allowed: readonly string[], introduction = 'allowed:') =>
  (value: unknown, place: string): Problems => {
    if (typeof value === 'string' && allowed.includes(value)) return none;
    const near = typeof value === 'string' ? nearest(value, allowed) : undefined;
    return [`${place} is ${describeValue(value)}; ${introduction} ${listing(allowed)}.${hint(near)}`];
  };

export const option: Check = (value, place, { field }) => oneOf(field.options ?? [])(value, place);

export const path = whenText((value, place, { field: { never = {} }, paths }) => {
  const reason = Object.hasOwn(never, value) ? never[value] : undefined;
  if (reason !== undefined)
    return [`${place} is ${describeValue(value)}, which is not allowed here: ${reason}.`];
  const fault = paths.fault(value);
  return fault === undefined
    ? none
    : [
        `${place} is ${describeValue(value)}, which is no path of SOM 1.0 story.context: ${fault}.${hint(paths.repair(value))}`,
      ];
});

const itemPathForm = /^[^\s.[\]{}"']+(\[\])?(\.[^\s.[\]{}"']+(\[\])?)*$/;

export const itemPath = whenText((value, place) =>
  itemPathForm.test(value)
    ? none
    : [`${place} is ${describeValue(value)}, which is no dot path: write names with dots between them.`],
);

export const authority = whenText((value, place, { scale }) =>
  scale === undefined ? none : oneOf(scale, "the instance's authority_scale has")(value, place),
);

export const value: Check = (literal, place, context) => {
  if (typeof literal === 'boolean') return none;
  if (typeof literal === 'number' && Number.isFinite(literal)) return none;
  return typeof literal === 'string'
    ? text(literal, place, context)
    : [`${place} is ${describeValue(literal)}, but has to be one text, number, true or false.`];
};

const rangeOf = ({ range: { least, most } = {} }: SkillField): string =>
  most === undefined ? ` of at least ${least ?? 'any size'}` : ` from ${least ?? 'any size'} to ${most}`;

export const bounded =
  (what: string, fits: (value: number) => boolean): Check =>
  (number, place, { field }) => {
    const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = field.range ?? {};
    const good = typeof number === 'number' && fits(number) && number >= least && number <= most;
    const range = field.range ? rangeOf(field) : '';
    const asText = typeof number === 'string' ? ' Write it without quotes.' : '';
    return good ? none : [`${place} is ${describeValue(number)}, but has to be ${what}${range}.${asText}`];
  };

export const boolean: Check = (flag, place) =>
  typeof flag === 'boolean'
    ? none
    : [`${place} is ${describeValue(flag)}, but has to be true or false, without quotes.`];

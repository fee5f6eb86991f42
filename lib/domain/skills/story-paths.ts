import { nearest } from './nearest.ts';
import { type Shape, storyShape } from './story-shape.ts';
import { found, listing } from './words.ts';

/** The paths of one schema. */
export interface StoryPaths {
  /** Why a text is no path of the schema, as the end of a sentence; undefined when it is one. */
  fault(path: string): string | undefined;
  /** The path that was probably meant. */
  repair(path: string): string | undefined;
  /** Every path the schema declares, without those under an extension. */
  readonly all: readonly string[];
}

const segmentForm = /^([^[\]]+)((?:\[\])*)$/;
const longestPath = 200;

const allowedNames = (members: ReadonlyMap<string, Shape>): string[] =>
  [...members].filter(([, shape]) => shape.kind !== 'forbidden').map(([name]) => name);

/** A list's items, and the `[]` that reach them. */
const unwrap = (shape: Shape): { shape: Shape; brackets: string } => {
  let brackets = '';
  let inner = shape;
  for (; inner.kind === 'list'; inner = inner.items) brackets += '[]';
  return { shape: inner, brackets };
};

const badBrackets = (place: string, written: string, meant: string): string =>
  meant === ''
    ? `${place} is no list, so no [] belongs after it`
    : `${place} is a list: write ${place}${meant}, not ${place}${written}`;

const noMembers = (place: string): string => `${place} has no fields below it`;

const unknownName = (place: string, name: string, members: ReadonlyMap<string, Shape>): string =>
  `${place} has no ${found(name)}; it has ${listing(allowedNames(members))}`;

const stepFault = (shape: Shape, rest: readonly string[], place: string): string | undefined => {
  const [segment = '', ...deeper] = rest;
  if (shape.kind !== 'object') return noMembers(place);
  const [, name = '', written = ''] = segmentForm.exec(segment) ?? [];
  const next = shape.members.get(name);
  if (!next) {
    if (shape.patterns.some(pattern => pattern.test(rest.join('.')))) return undefined;
    return shape.patterns.length === 0
      ? unknownName(place, name, shape.members)
      : `${place} takes only names like com.<vendor>.<name>`;
  }
  if (next.kind === 'forbidden') return `SOM 1.0 does not allow ${name} at all`;
  const inner = unwrap(next);
  const here = place === root ? name : `${place}.${name}`;
  if (inner.brackets !== written) return badBrackets(here, written, inner.brackets);
  return deeper.length === 0 ? undefined : stepFault(inner.shape, deeper, here + written);
};

const root = 'the story';

const formFault = (path: string, segments: readonly string[]): string | undefined => {
  if (path.length > longestPath) return `a path has at most ${longestPath} characters`;
  if (path.includes('{{') || path.includes('${')) return 'a template has to be filled in first';
  if (segments.includes('')) return 'there is an empty name before, between or after its dots';
  const odd = segments.find(segment => !segmentForm.test(segment));
  return odd === undefined
    ? undefined
    : `only an empty [] may follow a name, for "every element", and ${found(odd)} has something else`;
};

const declared = (shape: Shape, prefix: string): string[] => {
  if (shape.kind !== 'object') return [];
  return [...shape.members].flatMap(([name, member]) => {
    if (member.kind === 'forbidden') return [];
    const { shape: inner, brackets } = unwrap(member);
    const path = `${prefix}${name}${brackets}`;
    return [path, ...declared(inner, `${path}.`)];
  });
};

/** A path's bare names: no brackets or what they hold, no quotes, no spaces, no empty names, no old prefix. */
const bareNames = (path: string): string[] => {
  const names = path
    .replace(/\[[^[\]]*\]/g, '')
    .replace(/["'\s]/g, '')
    .split('.')
    .filter(name => name !== '');
  return names.length > 1 && ['story', 'story_context'].includes(names[0] ?? '') ? names.slice(1) : names;
};

const respell = (shape: Shape, [name, ...rest]: readonly string[]): string | undefined => {
  if (name === undefined || shape.kind !== 'object') return undefined;
  const known = nearest(name, allowedNames(shape.members));
  const member = known === undefined ? undefined : shape.members.get(known);
  if (!member) return undefined;
  const { shape: inner, brackets } = unwrap(member);
  const deeper = rest.length === 0 ? '' : respell(inner, rest);
  if (deeper === undefined) return undefined;
  return deeper === '' ? `${known}${brackets}` : `${known}${brackets}.${deeper}`;
};

/** The only path that ends in these names. */
const endingIn = (names: readonly string[], all: readonly string[]): string | undefined => {
  const ending = `.${names.join('.')}`;
  const [only, ...others] = all.filter(path => `.${path.replaceAll('[]', '')}`.endsWith(ending));
  return others.length === 0 ? only : undefined;
};

/** The paths that a JSON Schema for a story declares. `[]` has to follow every list, and nothing else. */
export const storyPaths = (schema: unknown): StoryPaths => {
  const shape = storyShape(schema);
  const all = declared(shape, '');
  return {
    all,
    fault: path => {
      const segments = path.split('.');
      return formFault(path, segments) ?? stepFault(shape, segments, root);
    },
    repair: path => {
      if (path.length > longestPath) return undefined;
      const names = bareNames(path);
      return names.length === 0 ? undefined : (respell(shape, names) ?? endingIn(names, all));
    },
  };
};

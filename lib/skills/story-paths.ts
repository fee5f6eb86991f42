import { nearest } from '../platform/json/nearest.ts';
import { describeValue, listing } from '../platform/json/submitted.ts';
import { isJsonObject } from '../platform/json/value.ts';

type Shape =
  | {
      readonly kind: 'object';
      readonly members: ReadonlyMap<string, Shape>;
      readonly patterns: readonly RegExp[];
    }
  | { readonly kind: 'list'; readonly items: Shape }
  | { readonly kind: 'leaf' }
  /** A false schema: the member may not be present. */
  | { readonly kind: 'forbidden' };

const memberOf = (value: unknown, name: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** What a `#/…` reference points at (RFC 6901 in a URI fragment). */
const referencedBy = (reference: string, root: unknown): unknown =>
  reference
    .slice('#/'.length)
    .split('/')
    .map(part => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(memberOf, root);

/**
 * The shape a JSON Schema declares, following local `$ref`s. Only `properties`, `patternProperties`
 * and `items` declare anything: what stands under `anyOf`, `if` or `then` does not. Throws on a
 * reference that leaves the document or leads back into itself.
 */
export const storyShape = (root: unknown): Shape => {
  const shapeOf = (schema: unknown, references: readonly string[]): Shape => {
    if (schema === false) return { kind: 'forbidden' };
    const reference = memberOf(schema, '$ref');
    if (typeof reference === 'string') {
      const isLocal = reference.startsWith('#/');
      const referenced = isLocal ? referencedBy(reference, root) : undefined;
      if (referenced === undefined || references.includes(reference))
        throw new Error(`cannot follow ${reference}`);
      return shapeOf(referenced, [...references, reference]);
    }
    if (memberOf(schema, 'type') === 'array')
      return { kind: 'list', items: shapeOf(memberOf(schema, 'items'), references) };

    const properties = Object.entries(memberOf(schema, 'properties') ?? {});
    const sources = Object.keys(memberOf(schema, 'patternProperties') ?? {});
    const patterns = sources.map(source => new RegExp(source, 'u'));
    if (properties.length + patterns.length === 0) return { kind: 'leaf' };
    const members = new Map(
      properties.map(([name, property]) => [name, shapeOf(property, references)]),
    );
    return { kind: 'object', members, patterns };
  };
  return shapeOf(root, []);
};

const allowedNames = (members: ReadonlyMap<string, Shape>): string[] =>
  [...members].filter(([, shape]) => shape.kind !== 'forbidden').map(([name]) => name);

/** What is in a list, in lists of lists too, and the `[]` that leads there. */
const unwrap = (shape: Shape): { shape: Shape; brackets: string } => {
  let brackets = '';
  let inner = shape;
  while (inner.kind === 'list') {
    brackets += '[]';
    inner = inner.items;
  }
  return { shape: inner, brackets };
};

const declaredPaths = (shape: Shape, prefix = ''): string[] => {
  if (shape.kind !== 'object') return [];
  return [...shape.members].flatMap(([name, member]) => {
    if (member.kind === 'forbidden') return [];
    const { shape: inner, brackets } = unwrap(member);
    const path = `${prefix}${name}${brackets}`;
    return [path, ...declaredPaths(inner, `${path}.`)];
  });
};

/**
 * A path's bare names: no brackets or what they hold, no quotes, no spaces, no empty names, no old
 * prefix.
 */
const bareNames = (path: string): string[] => {
  const names = path
    .replace(/\[[^[\]]*\]/g, '')
    .replace(/["'\s]/g, '')
    .split('.')
    .filter(name => name !== '');
  if (names.length > 1 && ['story', 'story_context'].includes(names[0] ?? ''))
    return names.slice(1);
  return names;
};

/** The declared path that is nearest to some names. */
const respell = (shape: Shape, [name, ...rest]: readonly string[]): string | undefined => {
  if (name === undefined || shape.kind !== 'object') return undefined;
  const known = nearest(name, allowedNames(shape.members));
  const member = known === undefined ? undefined : shape.members.get(known);
  if (!member) return undefined;

  const { shape: inner, brackets } = unwrap(member);
  const path = `${known}${brackets}`;
  if (rest.length === 0) return path;
  const innerPath = respell(inner, rest);
  return innerPath === undefined ? undefined : `${path}.${innerPath}`;
};

/** The only path that ends in some names. */
const pathEndingIn = (names: readonly string[], all: readonly string[]): string | undefined => {
  const ending = `.${names.join('.')}`;
  const [only, ...others] = all.filter(path => `.${path.replaceAll('[]', '')}`.endsWith(ending));
  return others.length === 0 ? only : undefined;
};

/**
 * The declared path that was probably meant by a text that is none: respelt name by name, or by how
 * it ends.
 */
const suggestPath = (path: string, shape: Shape, all: readonly string[]): string | undefined => {
  const names = bareNames(path);
  return respell(shape, names) ?? pathEndingIn(names, all);
};

export interface StoryPaths {
  /** Why a text is not a path of the schema, as the end of a sentence; undefined when it is one. */
  error(path: string): string | undefined;
  repair(path: string): string | undefined;
  /** Every path the schema declares, without those under an extension. */
  readonly all: readonly string[];
}

const segmentForm = /^([^[\]]+)((?:\[\])*)$/;
const longestPath = 200;
const root = 'the story';

const wrongBrackets = (where: string, written: string, right: string): string => {
  if (right === '') return `${where} is not a list, so no [] belongs after it`;
  return `${where} is a list: write ${where}${right}, not ${where}${written}`;
};

const unknownName = (where: string, name: string, members: ReadonlyMap<string, Shape>): string =>
  `${where} has no ${describeValue(name)}; it has ${listing(allowedNames(members))}`;

/** Why the rest of a path does not lead on from a shape; undefined if it does. */
const stepProblem = (shape: Shape, rest: readonly string[], where: string): string | undefined => {
  const [segment = '', ...deeper] = rest;
  if (shape.kind !== 'object') return `${where} has no fields below it`;
  const [, name = '', written = ''] = segmentForm.exec(segment) ?? [];
  const next = shape.members.get(name);
  if (!next) {
    if (shape.patterns.some(pattern => pattern.test(rest.join('.')))) return undefined;
    if (shape.patterns.length === 0) return unknownName(where, name, shape.members);
    return `${where} takes only names like com.<vendor>.<name>`;
  }
  if (next.kind === 'forbidden') return `SOM 1.0 does not allow ${name} at all`;

  const { shape: inner, brackets } = unwrap(next);
  const path = where === root ? name : `${where}.${name}`;
  if (brackets !== written) return wrongBrackets(path, written, brackets);
  if (deeper.length === 0) return undefined;
  return stepProblem(inner, deeper, path + written);
};

const formProblem = (path: string, segments: readonly string[]): string | undefined => {
  if (path.length > longestPath) return `a path has at most ${longestPath} characters`;
  if (path.includes('{{') || path.includes('${')) return 'a template has to be filled in first';
  if (segments.includes('')) return 'there is an empty name before, between or after its dots';
  const odd = segments.find(segment => !segmentForm.test(segment));
  if (odd === undefined) return undefined;
  return (
    `only an empty [] may follow a name, for "every element", and ${describeValue(odd)} has ` +
    'something else'
  );
};

/**
 * The paths that a JSON Schema for a story declares. `[]` has to follow every list, and nothing
 * else.
 */
export const storyPaths = (schema: unknown): StoryPaths => {
  const shape = storyShape(schema);
  const all = declaredPaths(shape);
  return {
    all,
    error: path => {
      const segments = path.split('.');
      return formProblem(path, segments) ?? stepProblem(shape, segments, root);
    },
    repair: path => (path.length > longestPath ? undefined : suggestPath(path, shape, all)),
  };
};

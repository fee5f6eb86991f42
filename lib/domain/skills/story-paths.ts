import { allowedNames, declaredPaths, type Shape, storyShape, unwrap } from './story-shape.ts';
import { suggestPath } from './suggest-path.ts';
import { describeValue, listing } from './words.ts';

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
const root = 'the story';

const badBrackets = (place: string, written: string, meant: string): string =>
  meant === ''
    ? `${place} is no list, so no [] belongs after it`
    : `${place} is a list: write ${place}${meant}, not ${place}${written}`;

const unknownName = (place: string, name: string, members: ReadonlyMap<string, Shape>): string =>
  `${place} has no ${describeValue(name)}; it has ${listing(allowedNames(members))}`;

const stepFault = (shape: Shape, rest: readonly string[], place: string): string | undefined => {
  const [segment = '', ...deeper] = rest;
  if (shape.kind !== 'object') return `${place} has no fields below it`;
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

const formFault = (path: string, segments: readonly string[]): string | undefined => {
  if (path.length > longestPath) return `a path has at most ${longestPath} characters`;
  if (path.includes('{{') || path.includes('${')) return 'a template has to be filled in first';
  if (segments.includes('')) return 'there is an empty name before, between or after its dots';
  const odd = segments.find(segment => !segmentForm.test(segment));
  return odd === undefined
    ? undefined
    : `only an empty [] may follow a name, for "every element", and ${describeValue(odd)} has something else`;
};

/** The paths that a JSON Schema for a story declares. `[]` has to follow every list, and nothing else. */
export const storyPaths = (schema: unknown): StoryPaths => {
  const shape = storyShape(schema);
  const all = declaredPaths(shape);
  return {
    all,
    fault: path => {
      const segments = path.split('.');
      return formFault(path, segments) ?? stepFault(shape, segments, root);
    },
    repair: path => (path.length > longestPath ? undefined : suggestPath(path, shape, all)),
  };
};

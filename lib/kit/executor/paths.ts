import { isScalar, type Scalar } from './skill.ts';

export interface Reading {
  /** With an index for each `[]`. */
  readonly path: string;
  /**
   * `scalar`: text, a number or a boolean, which can be compared. `whole`: an object or a list.
   * `blocked`: null, or a scalar or a list where the path goes on.
   */
  readonly kind: 'scalar' | 'whole' | 'blocked';
  readonly value: unknown;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The reading of a value at which a path ends. */
const readingOf = (path: string, value: unknown): Reading => {
  if (isScalar(value)) return { path, kind: 'scalar', value };
  if (typeof value === 'object' && value !== null) return { path, kind: 'whole', value };
  return { path, kind: 'blocked', value };
};

/** Whether a path begins with a name, and not only with the letters of it. */
const beginsWith = (path: string, name: string): boolean => {
  const next = path.charAt(name.length);
  return path.startsWith(name) && ['', '.', '['].includes(next);
};

/**
 * The member that a path begins with. The names of vendor data have dots in them, such as
 * `com.example.version_group`: the longest name that is there counts.
 */
const firstName = (object: object, path: string): string | undefined => {
  const names = Object.keys(object).filter(name => beginsWith(path, name));
  const [longest] = names.sort((left, right) => right.length - left.length);
  return longest;
};

const withoutDot = (path: string): string => path.replace(/^\./, '');

/**
 * Everything at a path below a value; empty when it is absent: on every way down a name is missing,
 * or a list is empty. `[]` after a name steps into a list.
 *
 * @param valuePath where the value stands in the story; empty for the story itself
 */
export const read = (value: unknown, path: string, valuePath = ''): readonly Reading[] => {
  if (path === '') return [readingOf(valuePath, value)];
  if (!isObject(value)) return [{ path: valuePath, kind: 'blocked', value }];
  const name = firstName(value, path);
  if (name === undefined) return [];

  const member = value[name];
  const memberPath = valuePath === '' ? name : `${valuePath}.${name}`;
  const rest = path.slice(name.length);
  if (!rest.startsWith('[]')) return read(member, withoutDot(rest), memberPath);

  if (!Array.isArray(member)) return [{ path: memberPath, kind: 'blocked', value: member }];
  const restInItem = withoutDot(rest.slice('[]'.length));
  return member.flatMap((item, index) => read(item, restInItem, `${memberPath}[${index}]`));
};

/** Whether a reading cannot be compared with a value. */
export const isUnreadable = ({ kind }: Reading): boolean => kind !== 'scalar';

/** Equality is exact: letter case and JSON type count. */
export const readingWith = (readings: readonly Reading[], wanted: Scalar): Reading | undefined =>
  readings.find(({ kind, value }) => kind === 'scalar' && value === wanted);

/** An element of a list in a story, such as the one at `assets[1]` in the list `assets[]`. */
export interface Element {
  readonly list: string;
  readonly path: string;
  readonly value: unknown;
}

export const elementsOf = (story: unknown, list: string): readonly Element[] =>
  read(story, list).map(({ path, value }) => ({ list, path, value }));

/** The first value at a path inside an element. */
export const valueInside = ({ value }: Element, path: string): unknown =>
  read(value, path)[0]?.value;

/** Whether a path is that of a list, or of something in its elements. */
export const leadsInto = (path: string, list: string): boolean =>
  path === list || path.startsWith(`${list}.`);

/**
 * What a path of the story says for an element: of a path that leads into the element's list, only
 * what is inside that element.
 */
export const readFor = (story: unknown, element: Element, path: string): readonly Reading[] => {
  if (!leadsInto(path, element.list)) return read(story, path);
  const pathInside = withoutDot(path.slice(element.list.length));
  return read(element.value, pathInside, element.path);
};

/** A path of the story with the index of an element, if it leads into the element's list. */
export const pathFor = (element: Element, path: string): string => {
  if (!leadsInto(path, element.list)) return path;
  return `${element.path}${path.slice(element.list.length)}`;
};

/** A path without its indices: they only say where an element stood. */
export const unindexed = (path: string): string => path.replace(/\[\d+\]/g, '[]');

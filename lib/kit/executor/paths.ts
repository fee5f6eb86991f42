import { isScalar } from './skill.ts';

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

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const end = (path: string, value: unknown): Reading => {
  if (isScalar(value)) return { path, kind: 'scalar', value };
  const isWhole = typeof value === 'object' && value !== null;
  return { path, kind: isWhole ? 'whole' : 'blocked', value };
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
const firstName = (members: object, path: string): string | undefined =>
  Object.keys(members)
    .filter(name => beginsWith(path, name))
    .sort((one, other) => other.length - one.length)[0];

const withoutDot = (path: string): string => path.replace(/^\./, '');

/**
 * Everything at a path below a value; empty when it is absent: on every way down a name is missing,
 * or a list is empty. `[]` after a name steps into a list.
 *
 * @param at where the value stands in the story; empty for the story itself
 */
export const read = (value: unknown, path: string, at = ''): readonly Reading[] => {
  if (path === '') return [end(at, value)];
  if (!isMembers(value)) return [{ path: at, kind: 'blocked', value }];
  const name = firstName(value, path);
  if (name === undefined) return [];
  const inner = value[name];
  const here = at === '' ? name : `${at}.${name}`;
  const rest = path.slice(name.length);
  if (!rest.startsWith('[]')) return read(inner, withoutDot(rest), here);

  if (!Array.isArray(inner)) return [{ path: here, kind: 'blocked', value: inner }];
  const afterList = withoutDot(rest.slice('[]'.length));
  return inner.flatMap((item, index) => read(item, afterList, `${here}[${index}]`));
};

export interface Element {
  readonly list: string;
  readonly at: string;
  readonly value: unknown;
}

export const elementsOf = (story: unknown, list: string): readonly Element[] =>
  read(story, list).map(({ path, value }) => ({ list, at: path, value }));

/** The first value at a path inside an element. */
export const valueInside = ({ value }: Element, path: string): unknown =>
  read(value, path)[0]?.value;

export const leadsInto = (path: string, list: string): boolean =>
  path === list || path.startsWith(`${list}.`);

export const readFor = (story: unknown, element: Element, path: string): readonly Reading[] => {
  if (leadsInto(path, element.list))
    return read(element.value, withoutDot(path.slice(element.list.length)), element.at);
  return read(story, path);
};

export const pathFor = ({ list, at }: Element, path: string): string =>
  leadsInto(path, list) ? `${at}${path.slice(list.length)}` : path;

/** A path without its indices: they only say where an element stood. */
export const unindexed = (path: string): string => path.replace(/\[\d+\]/g, '[]');

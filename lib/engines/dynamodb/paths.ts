import { type Attributes, attributeOf, setAttribute, type Value } from './values.ts';

/** Where a value is in an item: names of attributes and members of maps, indexes of lists. */
export type Path = readonly (string | number)[];

/** A path as DynamoDB's messages show it. */
export const pathText = (path: Path): string =>
  `[${path.map(step => (typeof step === 'number' ? `[${step}]` : step)).join(', ')}]`;

/** The member of a list or map; undefined when there is none. */
const memberOf = (value: Value, step: string | number): Value | undefined => {
  if (typeof step === 'number') return 'L' in value ? value.L[step] : undefined;
  return 'M' in value ? attributeOf(value.M, step) : undefined;
};

/** The value at a path; undefined when there is none. */
export const valueAt = (item: Attributes, path: Path): Value | undefined => {
  const [first, ...rest] = path;
  let value = attributeOf(item, String(first));
  for (const step of rest) {
    if (value === undefined) return undefined;
    value = memberOf(value, step);
  }
  return value;
};

export const samePath = (a: Path, b: Path): boolean =>
  a.length === b.length && a.every((step, at) => step === b[at]);

/** Why two paths cannot stand in one expression; undefined when they can. */
export const pathClash = (a: Path, b: Path): string | undefined => {
  const rewrite = `must remove or rewrite one of these paths; path one: ${pathText(a)}, path two: ${pathText(b)}`;
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
    if (typeof a[at] !== typeof b[at]) return `Two document paths conflict with each other; ${rewrite}`;
    if (a[at] !== b[at]) return undefined;
  }
  return `Two document paths overlap with each other; ${rewrite}`;
};

/** The part of a value that some paths select: `whole` when one of them ends there. */
interface Selection {
  whole: boolean;
  readonly members: Map<string | number, Selection>;
}

const selectionOf = (paths: readonly Path[]): Selection => {
  const root: Selection = { whole: false, members: new Map() };
  for (const path of paths) {
    let at = root;
    for (const step of path) {
      const next = at.members.get(step) ?? { whole: false, members: new Map() };
      at.members.set(step, next);
      at = next;
    }
    at.whole = true;
  }
  return root;
};

const selectedMembers = (map: Attributes, { members }: Selection): Attributes => {
  const selected: Record<string, Value> = {};
  for (const [name, selection] of members) {
    const value = typeof name === 'string' ? attributeOf(map, name) : undefined;
    const part = value && selectedPart(value, selection);
    if (part) setAttribute(selected, String(name), part);
  }
  return selected;
};

const selectedElements = (elements: readonly Value[], { members }: Selection): readonly Value[] => {
  const indexes = [...members.keys()].filter(step => typeof step === 'number').sort((a, b) => a - b);
  return indexes.flatMap(index => {
    const [element, selection] = [elements[index], members.get(index)];
    const part = element && selection && selectedPart(element, selection);
    return part ? [part] : [];
  });
};

const selectedPart = (value: Value, selection: Selection): Value | undefined => {
  if (selection.whole) return value;
  if ('M' in value) {
    const M = selectedMembers(value.M, selection);
    return Object.keys(M).length > 0 ? { M } : undefined;
  }
  if (!('L' in value)) return undefined;
  const L = selectedElements(value.L, selection);
  return L.length > 0 ? { L } : undefined;
};

/** What some paths select of an item. The elements of lists move together; what is empty is left out. */
export const projectedItem = (item: Attributes, paths: readonly Path[]): Attributes =>
  selectedMembers(item, selectionOf(paths));

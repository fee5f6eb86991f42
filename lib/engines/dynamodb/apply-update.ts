import type { BoundAction, BoundSetValue } from './bound-updates.ts';
import { differenceOf, unionOf } from './compare.ts';
import { invalid } from './errors.ts';
import { addNumbers, negatedNumber } from './numbers.ts';
import { type Path, valueAt } from './paths.ts';
import {
  type Attributes,
  attributeOf,
  copyAttributes,
  copyValue,
  setAttribute,
  type Value,
} from './values.ts';

const wrongOperand = () => invalid('An operand in the update expression has an incorrect data type');

const missing = () =>
  invalid('The provided expression refers to an attribute that does not exist in the item');

const wrongPath = () => invalid('The document path provided in the update expression is invalid for update');

/** The value of a SET action, from the item as it was. */
const evaluate = (item: Attributes, value: BoundSetValue): Value => {
  if ('value' in value) return value.value;
  if ('path' in value) {
    const found = valueAt(item, value.path);
    if (found === undefined) throw missing();
    return found;
  }
  const [first, second] = value.operands;
  if (value.call === 'if_not_exists')
    return ('path' in first && valueAt(item, first.path)) || evaluate(item, second);
  return combined(value.call, evaluate(item, first), evaluate(item, second));
};

const combined = (call: 'list_append' | '+' | '-', a: Value, b: Value): Value => {
  if (call === 'list_append') {
    if (!('L' in a) || !('L' in b)) throw wrongOperand();
    return { L: [...a.L, ...b.L] };
  }
  if (!('N' in a) || !('N' in b)) throw wrongOperand();
  return { N: addNumbers(a.N, call === '+' ? b.N : negatedNumber(b.N)) };
};

/** The parts of a copy may be changed; a list has holes until {@link closeGaps}. */
type Open = Record<string, Value>;

/** The list or map that a path's last step is in. */
const parentOf = (item: Open, path: Path): Value => {
  if (path.length === 1) return { M: item };
  const parent = valueAt(item, path.slice(0, -1));
  const step = path.at(-1);
  if (parent === undefined || !(typeof step === 'number' ? 'L' in parent : 'M' in parent)) throw wrongPath();
  return parent;
};

const put = (parent: Value, step: string | number | undefined, value: Value): void => {
  if ('M' in parent && typeof step === 'string') setAttribute(parent.M as Open, step, value);
  // Beyond the end: elements are added in the order of their indexes.
  else if ('L' in parent && typeof step === 'number') (parent.L as Value[])[step] = value;
};

const remove = (parent: Value, step: string | number | undefined): void => {
  if ('M' in parent && typeof step === 'string') delete (parent.M as Open)[step];
  else if ('L' in parent && typeof step === 'number') delete (parent.L as Value[])[step];
};

const existing = (parent: Value, step: string | number | undefined): Value | undefined => {
  if ('M' in parent && typeof step === 'string') return attributeOf(parent.M, step);
  return 'L' in parent && typeof step === 'number' ? parent.L[step] : undefined;
};

const added = (before: Value | undefined, value: Value): Value => {
  if (before === undefined) return value;
  if ('N' in before && 'N' in value) return { N: addNumbers(before.N, value.N) };
  const union = unionOf(before, value);
  if (union === undefined) throw wrongOperand();
  return union;
};

const addTo = (parent: Value, step: string | number | undefined, value: Value): void =>
  put(parent, step, added(existing(parent, step), copyValue(value)));

const deleteFrom = (parent: Value, step: string | number | undefined, value: Value): void => {
  const before = existing(parent, step);
  if (before === undefined) return;
  const left = differenceOf(before, value);
  if (left === undefined) throw wrongOperand();
  if (left === 'empty') remove(parent, step);
  else put(parent, step, left);
};

const apply = (item: Open, action: BoundAction, value: Value | undefined): void => {
  const { path } = action;
  const parent = parentOf(item, path);
  const step = path.at(-1);
  if (action.action === 'REMOVE') remove(parent, step);
  else if (action.action === 'ADD') addTo(parent, step, action.value);
  else if (action.action === 'DELETE') deleteFrom(parent, step, action.value);
  else if (value !== undefined) put(parent, step, copyValue(value));
};

/** Lists whose elements an update removed, or added after the end. */
const closeGaps = (item: Open, actions: readonly BoundAction[]): void => {
  for (const { path } of actions) {
    if (typeof path.at(-1) !== 'number') continue;
    const list = valueAt(item, path.slice(0, -1));
    if (list === undefined || !('L' in list)) continue;
    // Not `filter`: an index may be two thousand million, and it would visit all that are not there.
    const kept = Object.values(list.L);
    if (kept.length === list.L.length) continue;
    const elements = list.L as Value[];
    elements.length = 0;
    for (const element of kept) elements.push(element);
  }
};

/**
 * The item after an update. Every SET reads the item as it was before.
 *
 * @throws AwsError if a path or an operand does not fit the item
 */
export const updatedItem = (item: Attributes, actions: readonly BoundAction[]): Attributes => {
  const values = actions.map(action => (action.action === 'SET' ? evaluate(item, action.to) : undefined));
  const copy: Open = copyAttributes(item);
  actions.forEach((action, at) => {
    apply(copy, action, values[at]);
  });
  closeGaps(copy, actions);
  return copy;
};

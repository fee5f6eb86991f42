import fc from 'fast-check';
import { values } from './arbitrary-message.ts';

const { words, names, texts } = values;

type Container = Record<string, unknown> | unknown[];

interface Place {
  readonly parent: Container;
  readonly key: string;
}

/** One change to a message: where (modulo what is there), what kind, and which of that kind. */
export interface Mutation {
  readonly place: number;
  readonly kind: number;
  readonly choice: number;
}

const isContainer = (value: unknown): value is Container =>
  typeof value === 'object' && value !== null;

const placesIn = (value: unknown, found: Place[] = []): Place[] => {
  if (!isContainer(value)) return found;
  for (const key of Object.keys(value)) {
    found.push({ parent: value, key });
    placesIn(Reflect.get(value, key), found);
  }
  return found;
};

/** Assignment would set the prototype where the name is `__proto__`. */
const put = (parent: Container, key: string, value: unknown): void => {
  Object.defineProperty(parent, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
};

/** A fresh copy: what is put into a message may be changed there by the next step. */
const pick = <T>(values: readonly T[], choice: number): T =>
  structuredClone(values[choice % values.length]) as T;

const otherTypes = [null, true, 0, 'text', [], {}, [null], { a: 1 }, 1.5, -1, 1e308, 2 ** 53];
const lengths = [0, 1, 279, 280, 281, 599, 600, 601];

type Change = (place: Place, choice: number) => void;

const inside = ({ parent, key }: Place): Container => {
  const value: unknown = Reflect.get(parent, key);
  return isContainer(value) && !Array.isArray(value) ? value : parent;
};

const changes: readonly Change[] = [
  // drop
  ({ parent, key }) =>
    Array.isArray(parent) ? parent.splice(Number(key), 1) : Reflect.deleteProperty(parent, key),
  // retype
  ({ parent, key }, choice) => put(parent, key, pick(otherTypes, choice)),
  // another word
  ({ parent, key }, choice) => put(parent, key, pick(words, choice)),
  // extend
  (place, choice) => {
    const target = inside(place);
    if (Array.isArray(target)) target.push(pick(otherTypes, choice));
    else put(target, pick(names, choice), pick(otherTypes, choice >> 5));
  },
  // break or bend a format
  ({ parent, key }, choice) => put(parent, key, pick(texts, choice)),
  // nest
  ({ parent, key }, choice) => {
    const value: unknown = Reflect.get(parent, key);
    put(parent, key, choice % 2 === 0 ? [value] : { [pick(names, choice >> 1)]: value });
  },
  // empty
  ({ parent, key }) => {
    const value: unknown = Reflect.get(parent, key);
    put(parent, key, Array.isArray(value) ? [] : isContainer(value) ? {} : '');
  },
  // boundary lengths, counted in code points
  ({ parent, key }, choice) =>
    put(parent, key, pick(['a', '\u{1f300}'], choice).repeat(pick(lengths, choice >> 1))),
  // repeat an item, its members in another order
  ({ parent, key }) => {
    const value: unknown = Reflect.get(parent, key);
    if (!Array.isArray(value) || value.length === 0) return;
    const first: unknown = value[0];
    const copy =
      isContainer(first) && !Array.isArray(first)
        ? Object.fromEntries(Object.entries(first).reverse())
        : first;
    value.push(copy);
  },
];

export const mutations: fc.Arbitrary<Mutation[]> = fc.array(
  fc.record({ place: fc.nat(5000), kind: fc.nat(changes.length - 1), choice: fc.nat(4095) }),
  { maxLength: 4 },
);

/** A changed copy of a message. */
export const mutate = (message: unknown, steps: readonly Mutation[]): unknown => {
  const copy: unknown = JSON.parse(JSON.stringify(message));
  for (const { place, kind, choice } of steps) {
    const places = placesIn(copy);
    const at = places[place % places.length];
    if (at !== undefined) changes[kind]?.(at, choice);
  }
  return copy;
};

const extend = 3;

/**
 * One change at a time, in each place of a message: every name put into every object, and of the
 * other kinds four in each place.
 */
export const singleMutations = (message: unknown): Mutation[] =>
  placesIn(message).flatMap(({ parent, key }, place) => {
    const value: unknown = Reflect.get(parent, key);
    const isObject = isContainer(value) && !Array.isArray(value);
    const named =
      isObject || place === 0 ? names.map((_, choice) => ({ place, kind: extend, choice })) : [];
    const others = changes.flatMap((_, kind) =>
      kind === extend ? [] : [0, 1, 2, 3].map(step => ({ place, kind, choice: place * 4 + step })),
    );
    return [...named, ...others];
  });

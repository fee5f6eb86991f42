import { isJsonObject } from '../message/json-object.ts';

/** The part of a JSON Schema that decides which paths exist. */
export type Shape =
  | {
      readonly kind: 'object';
      readonly members: ReadonlyMap<string, Shape>;
      readonly patterns: readonly RegExp[];
    }
  | { readonly kind: 'list'; readonly items: Shape }
  | { readonly kind: 'leaf' }
  /** A false schema: the member may not be present. */
  | { readonly kind: 'forbidden' };

const member = (value: unknown, name: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** What a `#/…` reference points at (RFC 6901 in a URI fragment). */
const target = (root: unknown, reference: string): unknown =>
  reference
    .slice(2)
    .split('/')
    .map(part => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(member, root);

/**
 * The shape a JSON Schema declares, following local `$ref`s. Only `properties`, `patternProperties` and `items` declare
 * anything: what stands under `anyOf`, `if` or `then` does not. Throws on a reference that leaves the document or
 * leads back into itself.
 */
export const storyShape = (root: unknown): Shape => {
  const shapeOf = (schema: unknown, references: readonly string[]): Shape => {
    if (schema === false) return { kind: 'forbidden' };
    const reference = member(schema, '$ref');
    if (typeof reference === 'string') {
      const aim = reference.startsWith('#/') ? target(root, reference) : undefined;
      if (aim === undefined || references.includes(reference)) throw new Error(`cannot follow ${reference}`);
      return shapeOf(aim, [...references, reference]);
    }
    if (member(schema, 'type') === 'array') {
      return { kind: 'list', items: shapeOf(member(schema, 'items'), references) };
    }
    const properties = Object.entries(member(schema, 'properties') ?? {});
    const patterns = Object.keys(member(schema, 'patternProperties') ?? {}).map(
      source => new RegExp(source, 'u'),
    );
    if (properties.length + patterns.length === 0) return { kind: 'leaf' };
    const members = new Map(properties.map(([name, property]) => [name, shapeOf(property, references)]));
    return { kind: 'object', members, patterns };
  };
  return shapeOf(root, []);
};

/** The members an object of the shape may have. */
export const allowedNames = (members: ReadonlyMap<string, Shape>): string[] =>
  [...members].filter(([, shape]) => shape.kind !== 'forbidden').map(([name]) => name);

/** A list's items, and the `[]` that reach them. */
export const unwrap = (shape: Shape): { shape: Shape; brackets: string } => {
  let brackets = '';
  let inner = shape;
  for (; inner.kind === 'list'; inner = inner.items) brackets += '[]';
  return { shape: inner, brackets };
};

/** Every path a shape declares, its lists with `[]`; members that patterns allow are not among them. */
export const declaredPaths = (shape: Shape, prefix = ''): string[] => {
  if (shape.kind !== 'object') return [];
  return [...shape.members].flatMap(([name, member]) => {
    if (member.kind === 'forbidden') return [];
    const { shape: inner, brackets } = unwrap(member);
    const path = `${prefix}${name}${brackets}`;
    return [path, ...declaredPaths(inner, `${path}.`)];
  });
};

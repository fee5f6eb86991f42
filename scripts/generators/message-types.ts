import { readFileSync } from 'node:fs';
import { families, schemaNames, typesWithoutSchema } from '../../lib/contract/message-types.ts';
import { isJsonObject, type JsonObject } from '../../lib/platform/json/value.ts';
import { head, tail } from './message-types-frame.ts';

/** One form that an object can have. A member that is `undefined` must be absent. */
interface Shape {
  readonly members: ReadonlyMap<string, Member>;
  /** The type of further members, and their names; undefined when there may be none. */
  readonly rest: string | undefined;
}

interface Member {
  readonly type: string | undefined;
  readonly required: boolean;
  readonly doc: string;
}

const objectIn = (schema: JsonObject, name: string): JsonObject => {
  const value = schema[name];
  return isJsonObject(value) ? value : {};
};

const listIn = (schema: JsonObject, name: string): readonly unknown[] => {
  const value = schema[name];
  return Array.isArray(value) ? value : [];
};

const objectsIn = (schema: JsonObject, name: string): readonly JsonObject[] =>
  listIn(schema, name).filter(isJsonObject);

const textsIn = (schema: JsonObject, name: string): readonly string[] =>
  listIn(schema, name).map(String);

const pascal = (name: string): string =>
  name.replace(/(?:^|[-._])([a-z])/g, (_all, letter: string) => letter.toUpperCase());

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

const listOf = (type: string): string =>
  /\s/.test(type) ? `readonly (${type})[]` : `readonly ${type}[]`;

const literals = (values: readonly unknown[]): readonly string[] =>
  values.map(value => JSON.stringify(value));

/**
 * The texts of a pattern, as far as a type can tell them (see `head`). A pattern that is absent
 * here allows any text.
 */
const patterns: Readonly<Record<string, string>> = {
  '^\\d+\\.\\d+\\.\\d+$': 'VersionNumber',
  '^x-[a-z0-9_]+$': 'OwnWord',
  '^tams://[^/]+/.+': 'TamsUri',
};

/**
 * By member or format. A payload's ids and times are any text: there, they come from other systems,
 * as strings.
 */
const envelopeForms: Readonly<Record<string, string>> = {
  som_version: 'SomVersion',
  topic: 'Topic',
  uuid: 'Uuid',
  'date-time': 'Timestamp',
};

const someText = (schema: JsonObject): string => {
  if ('const' in schema) return JSON.stringify(schema['const']);
  if ('enum' in schema) return union(literals(listIn(schema, 'enum')));
  return patterns[String(schema['pattern'])] ?? 'string';
};

/** A vendor's extensions: the only names that a schema gives by a pattern. */
const vendorMembers = 'readonly [name: VendorName]: JsonValue';
// An optional member counts as `undefined` unless the reader compiles with
// exactOptionalPropertyTypes.
const anyMembers = 'readonly [name: string]: JsonValue | undefined';

const restOf = (schema: JsonObject): string | undefined => {
  if ('patternProperties' in schema) return vendorMembers;
  if (schema['additionalProperties'] === false) return undefined;
  return anyMembers;
};

/** The types of one schema. */
const reader = (nameOf: (definition: string) => string) => {
  const typeOf = (schema: unknown): string => {
    if (!isJsonObject(schema)) return 'JsonValue';
    const { $ref, type, items } = schema;
    if (typeof $ref === 'string') return nameOf($ref.replace('#/$defs/', ''));
    if (type === 'object' || 'properties' in schema)
      return shapesOf(schema).map(written).join(' | ');
    if ('anyOf' in schema) return union(objectsIn(schema, 'anyOf').map(typeOf));
    if (type === 'array') return listOf(typeOf(items));
    if (type === 'integer' || type === 'number') return 'number';
    if (type === 'boolean') return 'boolean';
    return someText(schema);
  };

  const memberOf = (schema: unknown, required: boolean): Member => ({
    type: schema === false ? undefined : typeOf(schema),
    required: required && schema !== false,
    doc: isJsonObject(schema) ? String(schema['description'] ?? '') : '',
  });

  const shapesOf = (schema: JsonObject): readonly Shape[] => {
    const required = new Set(textsIn(schema, 'required'));
    const properties = Object.entries(objectIn(schema, 'properties'));
    const members = new Map(
      properties.map(([name, inner]) => [name, memberOf(inner, required.has(name))]),
    );
    const plain: Shape = { members, rest: restOf(schema) };
    const conditions = [...('if' in schema ? [schema] : []), ...objectsIn(schema, 'allOf')];
    return merged(conditions.reduce(split, demand([plain], schema)));
  };
  return { typeOf, shapesOf };
};

const withMember = (shape: Shape, name: string, change: Partial<Member>): Shape => {
  const before = shape.members.get(name) ?? { type: 'JsonValue', required: false, doc: '' };
  return { ...shape, members: new Map(shape.members).set(name, { ...before, ...change }) };
};

/**
 * What `required`, `not` and `anyOf` of a schema demand of shapes that have their members already.
 */
const demand = (shapes: readonly Shape[], schema: JsonObject): readonly Shape[] => {
  const alternatives = objectsIn(schema, 'anyOf');
  const forked =
    alternatives.length > 0 ? alternatives.flatMap(one => demand(shapes, one)) : shapes;
  const not = objectIn(schema, 'not');
  const absent = [not, ...objectsIn(not, 'anyOf')].flatMap(one => textsIn(one, 'required'));
  return forked.map(shape => {
    const needed = textsIn(schema, 'required').reduce(
      (changed, name) => withMember(changed, name, { required: true }),
      shape,
    );
    const without = absent.reduce(
      (changed, name) => withMember(changed, name, { type: undefined, required: false }),
      needed,
    );
    return Object.entries(objectIn(schema, 'properties')).reduce(narrowed, without);
  });
};

/** A member that must have further members. */
const narrowed = (shape: Shape, [name, inner]: [string, unknown]): Shape => {
  const needed = isJsonObject(inner) && !('type' in inner) ? textsIn(inner, 'required') : [];
  if (needed.length === 0) return shape;
  const more = needed.map(one => `readonly ${one}: JsonValue`).join('; ');
  return withMember(shape, name, { type: `${shape.members.get(name)?.type} & { ${more} }` });
};

/** Splits shapes where a condition asks for the value of a member. */
const split = (shapes: readonly Shape[], condition: JsonObject): readonly Shape[] => {
  const [[name = '', asked] = []] = Object.entries(
    objectIn(objectIn(condition, 'if'), 'properties'),
  );
  const wanted = isJsonObject(asked) ? JSON.stringify(asked['const']) : '';
  return shapes.flatMap(shape =>
    (shape.members.get(name)?.type ?? '').split(' | ').flatMap(value => {
      const follows = objectIn(condition, value === wanted ? 'then' : 'else');
      return demand([withMember(shape, name, { type: value })], follows);
    }),
  );
};

const described = (doc: string): string => (doc === '' ? '' : `/** ${doc} */\n`);

const writtenMember = ([name, { type, required, doc }]: readonly [string, Member]): string => {
  const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
  if (type === undefined) return `readonly ${key}?: never`;
  return `${described(doc)}readonly ${key}${required ? '' : '?'}: ${type}`;
};

const written = ({ members, rest }: Shape): string => {
  if (members.size === 0 && rest === anyMembers) return 'JsonObject';
  const lines = [...members].map(writtenMember);
  if (rest) lines.push(rest);
  const indented = lines.map(line => `  ${line.replaceAll('\n', '\n  ')};\n`);
  return `{\n${indented.join('')}}`;
};

/** Shapes that differ in one member's literal only are one shape. */
const merged = (shapes: readonly Shape[]): readonly Shape[] => {
  const kept: Shape[] = [];
  for (const shape of shapes) {
    const at = kept.findIndex(other => literalsApart(other, shape) !== undefined);
    const other = kept[at];
    const name = other && literalsApart(other, shape);
    if (other === undefined || name === undefined) kept.push(shape);
    else
      kept[at] = withMember(other, name, {
        type: union([typeIn(other, name), typeIn(shape, name)]),
      });
  }
  return kept;
};

const typeIn = (shape: Shape, name: string): string => shape.members.get(name)?.type ?? '';

/** The one member that differs, if it has a literal in both. */
const literalsApart = (one: Shape, other: Shape): string | undefined => {
  const [name, ...more] = differing(one, other);
  if (name === undefined || more.length > 0) return undefined;
  if ([one, other].every(shape => typeIn(shape, name).startsWith('"'))) return name;
  return undefined;
};

const differing = (one: Shape, other: Shape): readonly string[] => {
  const text = (shape: Shape, name: string) => JSON.stringify(shape.members.get(name) ?? null);
  const names = new Set([...one.members.keys(), ...other.members.keys()]);
  return [...names].filter(name => text(one, name) !== text(other, name));
};

const schemas: ReadonlyMap<string, JsonObject> = new Map(
  schemaNames.map(name => [name, JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8'))]),
);

const definitionsOf = (schema: JsonObject) => Object.entries(objectIn(schema, '$defs'));

/** A definition that differs between schemas is named after its schema too. */
const isShared = (name: string): boolean => {
  const texts = [...schemas.values()].flatMap(schema => {
    const definition = objectIn(schema, '$defs')[name];
    if (definition === undefined) return [];
    return [JSON.stringify(definition)];
  });
  return new Set(texts).size === 1;
};

const nameIn =
  (schema: string) =>
  (definition: string): string => {
    if (isShared(definition)) return pascal(definition);
    return pascal(schema) + pascal(definition);
  };

const declaration = (name: string, type: string, doc: unknown): string =>
  `${described(String(doc ?? ''))}export type ${name} = ${type};`;

const definitions = (): readonly string[] => {
  const declared = [...schemas].flatMap(([name, schema]) =>
    definitionsOf(schema).map(([definition, inner]) => {
      const { typeOf } = reader(nameIn(name));
      const doc = isJsonObject(inner) ? inner['description'] : '';
      return declaration(nameIn(name)(definition), typeOf(inner), doc);
    }),
  );
  return [...new Set(declared)];
};

/** The payload of a type: of its family's shapes, those that may name it. */
const payloadOf = (type: string, family: string): string => {
  const schema = schemas.get(family) ?? {};
  const shapes = reader(nameIn(family)).shapesOf(schema);
  const isOfType = ({ members }: Shape) =>
    members.get('message_type')?.type?.split(' | ').includes(JSON.stringify(type)) ?? true;
  const named = shapes.filter(isOfType).map(shape => {
    if (shape.members.has('message_type'))
      return withMember(shape, 'message_type', { type: JSON.stringify(type) });
    return shape;
  });
  return declaration(
    `${pascal(type)}Payload`,
    named.map(written).join(' | '),
    schema['description'],
  );
};

const payloads = (): readonly string[] => {
  const known = [...families].map(([type]) => [type, `${pascal(type)}Payload`]);
  const open = [...typesWithoutSchema].map(type => [type, 'JsonObject']);
  const rows = [...known, ...open].map(([type, payload]) => `  readonly '${type}': ${payload};`);
  return [
    ...[...families].map(([type, family]) => payloadOf(type, family)),
    '/** The payload of each message type. The bus does not check those that are any object. */',
    `export interface Payloads {\n${rows.join('\n')}\n}`,
  ];
};

/** A member of the envelope, with the type of its form. */
const formed = ([name, schema]: readonly [string, unknown]): readonly [string, unknown] => {
  if (!isJsonObject(schema)) return [name, schema];
  const form = envelopeForms[name] ?? envelopeForms[String(schema['format'])];
  return [name, form === undefined ? schema : { ...schema, $ref: form }];
};

const envelope = (): readonly string[] => {
  const schema = schemas.get('envelope') ?? {};
  const properties = Object.fromEntries(Object.entries(objectIn(schema, 'properties')).map(formed));
  const isForm = (name: string) => Object.values(envelopeForms).includes(name);
  const nameOf = (name: string) => {
    if (isForm(name)) return name;
    return nameIn('envelope')(name);
  };
  const body = reader(nameOf)
    .shapesOf({ ...schema, properties })
    .map(shape => {
      const { message_type, payload, ...rest } = Object.fromEntries(shape.members);
      return written({ ...shape, members: new Map(Object.entries(rest)) });
    });
  return [
    '/** What every SOM message says about itself. */',
    `export interface Envelope ${body.join('')}`,
  ];
};

/** The types of the client's messages, by file name in lib/generated. */
export const files = (): ReadonlyMap<string, string> =>
  new Map([
    [
      'som-messages.generated.ts',
      [head, ...definitions(), ...payloads(), ...envelope(), tail, ''].join('\n\n'),
    ],
  ]);

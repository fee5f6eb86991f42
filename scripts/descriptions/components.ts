/** JSON, as descriptions are made of it. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [member: string]: Json | undefined };
export type Schema = { readonly [member: string]: Json | undefined };

export const isObject = (value: Json | undefined): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const ref = (component: string): Schema => ({ $ref: `#/components/schemas/${component}` });

const capitalised = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

const listed = (value: Json | undefined): readonly Schema[] => {
  if (Array.isArray(value)) return value.filter(isObject);
  return [];
};

/** Generators do not conclude a type from a constant or an enum. */
const typed = (schema: Schema): Schema => {
  const { type, const: constant, enum: values } = schema;
  const [sample] = Array.isArray(values) ? values : [constant];
  if (type !== undefined || sample === undefined) return schema;
  return { type: typeof sample, ...schema };
};

/** Generators know no patterns of names: they see an object that is closed and empty. */
const withNamePattern = ({ patternProperties, ...schema }: Schema): Schema => {
  if (!isObject(patternProperties)) return schema;
  const [pattern = ''] = Object.keys(patternProperties);
  return { ...schema, propertyNames: { pattern }, additionalProperties: true };
};

/**
 * An object without members is a closed one to some generators; a list without items has no type.
 */
const explicitlyFree = (schema: Schema): Schema => {
  const { type, properties, additionalProperties, items } = schema;
  if (type === 'array' && items === undefined) return { ...schema, items: {} };
  if (type === 'object' && properties === undefined && additionalProperties === undefined)
    return { ...schema, additionalProperties: true };
  return schema;
};

/**
 * Members that are always refused: a closed object refuses them as it does any other, so words are
 * enough.
 */
const withoutForbidden = (schema: Schema): Schema => {
  const { properties, description } = schema;
  if (!isObject(properties)) return schema;
  const members = Object.entries(properties);
  const forbidden = members.filter(([, member]) => member === false).map(([name]) => `\`${name}\``);
  if (forbidden.length === 0) return schema;
  return {
    ...schema,
    description: `${description ?? ''} Forbidden in SOM 1.0: ${forbidden.join(', ')}.`.trim(),
    properties: Object.fromEntries(members.filter(([, member]) => member !== false)),
  };
};

const isRequirement = (schema: Schema): boolean =>
  Object.keys(schema).length === 1 && Array.isArray(schema['required']);

const isFreeObject = ({ type, properties }: Schema): boolean =>
  type === 'object' && properties === undefined;

/**
 * What generators make no class of, or one that does not compile: that a member must be there, an
 * object of any form, and a list.
 */
const isUntypable = (alternatives: readonly Schema[]): boolean =>
  alternatives.every(isRequirement) ||
  alternatives.some(isFreeObject) ||
  alternatives.some(({ type }) => type === 'array');

/**
 * One of two alternatives, as a condition: generators read none, so the value keeps its one type,
 * or has any.
 */
const withCondition = ({ anyOf, ...schema }: Schema): Schema => {
  const [first, second, ...others] = listed(anyOf);
  if (!first || !second || others.length > 0 || 'if' in schema || !isUntypable([first, second])) {
    if (anyOf === undefined) return schema;
    return { ...schema, anyOf };
  }
  return { ...schema, if: first, else: second };
};

/** The same for several conditions, which hang on a member that is always there. */
const withConditions = ({ allOf, ...schema }: Schema): Schema => {
  const conditions = listed(allOf);
  const [member] = Array.isArray(schema['required']) ? schema['required'] : [];
  if (typeof member !== 'string' || !conditions.every(condition => 'if' in condition)) {
    if (allOf === undefined) return schema;
    return { ...schema, allOf };
  }
  if (conditions.length === 0) return schema;
  return { ...schema, dependentSchemas: { [member]: { allOf } } };
};

const changes = [
  typed,
  withNamePattern,
  explicitlyFree,
  withoutForbidden,
  withCondition,
  withConditions,
];

/**
 * Where a schema has others that describe a part of the value. Conditions only choose between
 * values: they stay.
 */
const parts: Readonly<Record<string, 'one' | 'list' | 'members'>> = {
  items: 'one',
  additionalProperties: 'one',
  anyOf: 'list',
  properties: 'members',
};

const partGenerable = (name: string, part: Json): Json => {
  const kind = parts[name];
  if (kind === 'one' && isObject(part)) return generable(part);
  if (kind === 'list' && Array.isArray(part))
    return part.map(item => {
      if (isObject(item)) return generable(item);
      return item;
    });
  if (kind !== 'members' || !isObject(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([member, schema]) => [
      member,
      isObject(schema) ? generable(schema) : schema,
    ]),
  );
};

/** The same schema in words that generators of client code turn into classes. */
export const generable = (schema: Schema): Schema => {
  const changed = changes.reduce((current, change) => change(current), schema);
  return Object.fromEntries(
    Object.entries(changed).map(([name, part = null]) => [name, partGenerable(name, part)]),
  );
};

/** A value with a change made to each object in it, the inner ones first. */
export const transformed = (value: Json, change: (schema: Schema) => Schema): Json => {
  if (Array.isArray(value)) return value.map(item => transformed(item, change));
  if (!isObject(value)) return value;
  const inner = Object.entries(value).map(([name, part]) => [
    name,
    transformed(part ?? null, change),
  ]);
  return change(Object.fromEntries(inner));
};

/** The names that a condition requires, declared beside it: linters look for them nowhere else. */
const withDeclaredNames = (schema: Schema): Schema => {
  const { required, properties } = schema;
  if (!Array.isArray(required)) return schema;
  const declared = isObject(properties) ? properties : {};
  const others = required.map(String).filter(name => !(name in declared));
  if (others.length === 0) return schema;
  const all = { ...declared, ...Object.fromEntries(others.map(name => [name, {}])) };
  return { additionalProperties: true, ...schema, properties: all };
};

/** Components with what linters do not conclude by themselves. */
export const explicit = (components: Schema): Schema =>
  transformed(components, withDeclaredNames) as Schema;

const renamed = (value: Json, nameOf: (definition: string) => string): Json => {
  if (Array.isArray(value)) return value.map(item => renamed(item, nameOf));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner = null]) => {
      if (name === '$ref' && typeof inner === 'string')
        return [
          name,
          inner.replace(
            /^#\/\$defs\/(.*)$/,
            (_, definition) => ref(nameOf(definition))['$ref'] as string,
          ),
        ];
      return [name, renamed(inner, nameOf)];
    }),
  );
};

/**
 * Definitions that mean the same in every schema that has them: they are one component, by their
 * own name.
 */
const shared: ReadonlySet<string> = new Set(['actor', 'extensions', 'locator']);

/**
 * A schema and its definitions as components: generators find none inside another, and would name
 * classes by titles.
 */
export const componentsOf = (
  component: string,
  { $schema: _dialect, $id: _id, title: _title, $defs, ...schema }: Schema,
): Readonly<Record<string, Schema>> => {
  const nameOf = (definition: string): string => {
    if (shared.has(definition)) return capitalised(definition);
    return component + capitalised(definition);
  };
  const described = (part: Schema): Schema => generable(renamed(part, nameOf) as Schema);
  const definitions = Object.entries(isObject($defs) ? $defs : {}).flatMap(([name, definition]) => {
    if (isObject(definition)) return [[nameOf(name), described(definition)] as const];
    return [];
  });
  return { [component]: described(schema), ...Object.fromEntries(definitions) };
};

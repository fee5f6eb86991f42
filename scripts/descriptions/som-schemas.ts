import { families, type SchemaName, schemaNames } from '../../lib/contract/message-types.ts';
import { readSchema } from '../generators/validators.ts';

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [member: string]: Json | undefined };
export type Schema = { readonly [member: string]: Json | undefined };

/** `story-context` is the component `StoryContext`. */
export const componentName = (name: string): string =>
  name
    .split('-')
    .map(word => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');

export const ref = (component: string): Schema => ({ $ref: `#/components/schemas/${component}` });

const forbidden: Schema = { not: {}, description: 'Forbidden in SOM 1.0.' };

/** Members that may not be there, with words for a reader. */
const worded = (members: Schema): Schema =>
  Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [name, schema === false ? forbidden : schema]),
  );

export const isObject = (value: Json | undefined): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Moves a schema's inner references to where the schema stands in a description. */
const moved = (value: Json, at: string): Json => {
  if (Array.isArray(value)) return value.map(item => moved(item, at));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner = null]) => {
      if (name === '$ref' && typeof inner === 'string') return [name, inner.replace(/^#/, at)];
      return [name, moved(name === 'properties' && isObject(inner) ? worded(inner) : inner, at)];
    }),
  );
};

/** A schema of the SOM as a component. */
export const component = (name: SchemaName): Schema => {
  const { $schema: _dialect, $id: _id, ...schema } = readSchema(name);
  return moved(schema as Json, `#/components/schemas/${componentName(name)}`) as Schema;
};

const typesOf = (family: string): readonly string[] =>
  [...families].filter(([, name]) => name === family).map(([type]) => type);

/** A whole message of a family. */
export const wholeMessage = (family: string): Schema => ({
  title: `A message of the family ${family}`,
  allOf: [
    ref('Envelope'),
    { properties: { message_type: { enum: typesOf(family) }, payload: ref(componentName(family)) } },
  ],
});

/** The payload families. */
export const familyNames = schemaNames.filter(name => name !== 'envelope');

/** The component of a whole message of a family. */
export const messageName = (family: string): string => `${componentName(family)}Message`;

export const messageNames: readonly string[] = familyNames.map(messageName);

/** The envelope, every payload family, and a whole message of each. */
export const somSchemas: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(schemaNames.map(name => [componentName(name), component(name)])),
  ...Object.fromEntries(familyNames.map(name => [messageName(name), wholeMessage(name)])),
};

import { families, schemaNames } from '../../lib/contract/message-types.ts';
import { readSchema } from '../generators/validators.ts';
import { componentsOf, isObject, ref, type Schema } from './components.ts';

/** `story-context` is the component `StoryContext`. */
export const componentName = (name: string): string =>
  name
    .split('-')
    .map(word => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');

/** The schemas of the SOM and their definitions, by component. */
export const somParts: Readonly<Record<string, Schema>> = Object.assign(
  {},
  ...schemaNames.map(name => componentsOf(componentName(name), readSchema(name) as Schema)),
);

const typesOf = (family: string): readonly string[] =>
  [...families].filter(([, name]) => name === family).map(([type]) => type);

/** A message: the envelope with other schemas for some of its members. */
export const messageSchema = (
  envelope: Schema | undefined,
  description: string,
  members: Readonly<Record<string, Schema>>,
): Schema => {
  const properties = isObject(envelope?.['properties']) ? envelope['properties'] : {};
  return { ...envelope, description, properties: { ...properties, ...members } };
};

/** The payload families. */
export const familyNames = schemaNames.filter(name => name !== 'envelope');

/** The component of a whole message of a family. */
export const messageName = (family: string): string => `${componentName(family)}Message`;

/** The whole messages of each family and their types, by component. */
export const familyMessages = (envelope: Schema | undefined): Readonly<Record<string, Schema>> =>
  Object.fromEntries(
    familyNames.flatMap(family => {
      const types = `${componentName(family)}MessageTypes`;
      const members = { message_type: ref(types), payload: ref(componentName(family)) };
      const message = messageSchema(envelope, `A message of the family ${family}.`, members);
      return [
        [messageName(family), message],
        [types, { type: 'string', enum: typesOf(family) }],
      ];
    }),
  );

/** What may be published: a message of a family, or of a type without a schema. */
const message: Schema = {
  description: 'A SOM 1.0 message. A type without a SOM 1.0 schema has any payload.',
  anyOf: [...familyNames.map(messageName), 'Envelope'].map(ref),
};

/** The envelope, every payload family, a whole message of each, and what may be published. */
export const somSchemas: Readonly<Record<string, Schema>> = {
  ...somParts,
  ...familyMessages(somParts['Envelope']),
  Message: message,
};

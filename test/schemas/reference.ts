import type { ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import { fullFormats } from 'ajv-formats/dist/formats';
import { readShared } from '../shared.ts';

export type ReferenceSchema = Record<string, unknown>;

export const referenceSchema = (name: string): ReferenceSchema =>
  JSON.parse(readShared('som-1.0', 'schema', `${name}.schema.json`).toString('utf8'));

/** FIELDS.md's table, written out here so that a mistake in the product's own table shows. */
const familyOf: Readonly<Record<string, string>> = {
  'story.context': 'story-context',
  'telling.started': 'telling-event',
  'telling.ended': 'telling-event',
  'telling.exposed': 'telling-event',
  'link.committed': 'link-event',
  'link.gate_changed': 'link-event',
  'link.withdrawn': 'link-event',
  'delivery.media_available': 'delivery-media-available',
  'system.audit': 'system-audit',
  'skill.warning.raised': 'skill-warning',
};

/** The same schemas as a later 1.x may be held to: nothing closed, no closed list of words. */
const loosened = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(loosened);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { enum: words, additionalProperties, ...kept } = schema as ReferenceSchema;
  const open = additionalProperties === undefined || additionalProperties === false;
  return {
    ...Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, loosened(value)])),
    ...(words === undefined || Array.isArray(words) ? {} : { enum: loosened(words) }),
    ...(open ? {} : { additionalProperties: loosened(additionalProperties) }),
  };
};

export type Strictness = 'strict' | 'loose';

const ajvFormats = fullFormats as unknown as Readonly<Record<'date-time' | 'uri', unknown>> & {
  uuid: RegExp;
};
const [dateTime, uri] = [ajvFormats['date-time'], ajvFormats.uri] as [
  { validate: (text: string) => boolean },
  (text: string) => boolean,
];

/**
 * Formats as their RFCs and the standard's own validator have them: what ajv-formats accepts, less
 * what it adds to them.
 */
const strictFormats = {
  uuid: (text: string) => text.length === 36 && ajvFormats.uuid.test(text),
  uri,
  'date-time': (text: string) =>
    dateTime.validate(text) &&
    /^T(?:[01]\d|2[0-3]):[0-5]\d:/i.test(text.slice(10)) &&
    /(?:z|\d\d:\d\d)$/i.test(text.slice(19)) &&
    text.slice(17, 19) !== '60' &&
    !text.startsWith('0000'),
};

/** The routing name is a name on one line; SOM's pattern leaves open what follows the dot. */
const onOneLine = (name: string, schema: ReferenceSchema): ReferenceSchema =>
  name === 'envelope'
    ? JSON.parse(JSON.stringify(schema).replace('"^som\\\\."', '"^som\\\\.[^\\\\r\\\\n]*$"'))
    : schema;

const compiled = new Map<string, ValidateFunction>();

const validatorOf = (name: string, strictness: Strictness): ValidateFunction => {
  const key = `${name} ${strictness}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  for (const [format, check] of Object.entries(strictFormats)) ajv.addFormat(format, check);
  const schema = onOneLine(name, referenceSchema(name));
  const validate = ajv.compile(
    strictness === 'strict' ? schema : (loosened(schema) as ReferenceSchema),
  );
  compiled.set(key, validate);
  return validate;
};

/**
 * What the reference schemas find in a message's envelope and payload, as `<path> <keyword>`,
 * unsorted and with repetitions.
 */
export const referenceFailures = (
  message: Record<string, unknown>,
  strictness: Strictness = 'strict',
): string[] => {
  const failures = (name: string, data: unknown, prefix: string): string[] => {
    const validate = validatorOf(name, strictness);
    if (validate(data)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, keyword }) => `${prefix}${instancePath} ${keyword}`,
    );
  };
  const { message_type: type, payload } = message;
  const family =
    typeof type === 'string' && Object.hasOwn(familyOf, type) ? familyOf[type] : undefined;
  const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload);
  return [
    ...failures('envelope', message, ''),
    ...(family !== undefined && isObject ? failures(family, payload, '/payload') : []),
  ];
};

export const referenceTypes: readonly [string, string][] = Object.entries(familyOf);

import fc from 'fast-check';
import { yamlFile } from '../../scripts/yaml-file.ts';
import { envelope, type Json } from '../corpus/messages.ts';

type Schema = { readonly [keyword: string]: unknown } | boolean;
type ObjectSchema = Exclude<Schema, boolean>;

type Texts = readonly string[];

/** Texts that messages are made of and changed with. */
export const values = yamlFile('test/schemas/values.yaml') as Readonly<
  Record<'matching' | 'formatted', Readonly<Record<string, Texts>>> &
    Record<'words' | 'names' | 'texts', Texts>
>;
const { matching, formatted } = values;
const moment = '2026-02-03T10:00:00Z';

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'boolean' ||
  (typeof value === 'object' && value !== null && !Array.isArray(value));

const schemasOf = (value: unknown): readonly Schema[] =>
  Array.isArray(value) ? value.filter(isSchema) : [];

const membersOf = (schema: ObjectSchema, keyword: string): [string, Schema][] =>
  Object.entries((schema[keyword] ?? {}) as Record<string, Schema>);

const namesIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

const resolve = (schema: Schema, root: ObjectSchema): Schema => {
  if (typeof schema === 'boolean' || typeof schema['$ref'] !== 'string') return schema;
  const definitions = root['$defs'] as Record<string, Schema>;
  return resolve(definitions[schema['$ref'].slice('#/$defs/'.length)] ?? false, root);
};

const anything = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1.5, 1e300, '', 'text', [], {}),
  fc.constantFrom<unknown>([1, [2, { a: null }]], { toString: 1, ['__proto__x']: [] }),
);

const texts = (schema: ObjectSchema): fc.Arbitrary<string> => {
  if (typeof schema['format'] === 'string')
    return fc.constantFrom(...(formatted[schema['format']] ?? []));
  if (typeof schema['pattern'] === 'string')
    return fc.constantFrom(...(matching[schema['pattern']] ?? []));
  const max = Number(schema['maxLength'] ?? 12);
  return fc.constantFrom(
    'a',
    'é\u{1f300}',
    '"\\/\n\u0000',
    'x'.repeat(max),
    '\u{1f300}'.repeat(max),
  );
};

const arbitraryObject = (schema: ObjectSchema, root: ObjectSchema): fc.Arbitrary<unknown> => {
  const known = membersOf(schema, 'properties').filter(([, member]) => member !== false);
  const either = schemasOf(schema['anyOf']).map(branch =>
    namesIn((branch as ObjectSchema)['required']),
  );
  const model = Object.fromEntries(
    known.map(([name, member]) => [name, arbitraryValue(member, root)]),
  );
  const always = fc.constantFrom(...(either.length === 0 ? [[]] : either));
  const extensions = membersOf(schema, 'patternProperties').flatMap(
    ([pattern]) => matching[pattern] ?? [],
  );
  const isOpen = schema['additionalProperties'] !== false;
  const more = extensions.length > 0 ? extensions : isOpen ? ['free', 'metric', 'constructor'] : [];
  const extra = fc.dictionary(fc.constantFrom(...(more.length > 0 ? more : ['never'])), anything, {
    maxKeys: more.length > 0 ? 2 : 0,
  });
  return always.chain(chosen => {
    const requiredKeys = [...new Set([...namesIn(schema['required']), ...chosen])];
    return fc
      .tuple(fc.record(model, { requiredKeys, noNullPrototype: true }), extra)
      .map(([members, others]) => ({ ...others, ...members }));
  });
};

/**
 * Values that satisfy a schema's own keywords; conditions (if, not) are for {@link repaired} to see
 * to.
 */
const arbitraryValue = (given: Schema, root: ObjectSchema): fc.Arbitrary<unknown> => {
  const schema = resolve(given, root);
  if (typeof schema === 'boolean') return anything;
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum']);
  if (schema['type'] === undefined && schema['anyOf'] !== undefined) {
    return fc.oneof(...schemasOf(schema['anyOf']).map(branch => arbitraryValue(branch, root)));
  }
  switch (schema['type']) {
    case 'string':
      return texts(schema);
    case 'integer':
      return fc.constantFrom(0, 1, 7, 2 ** 53, 1e300);
    case 'number':
      return fc.constantFrom(0, 0.25, 1, 1e-7);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(
        isSchema(schema['items']) ? arbitraryValue(schema['items'], root) : anything,
        {
          maxLength: 3,
        },
      );
    default:
      return arbitraryObject(schema, root);
  }
};

const claims: Readonly<Record<string, Json>> = {
  FACT_CHECK: { metric: null, value: 0 },
  DETECTION: { detection_class: '', verdict: '' },
  MATCH: { story_id: [] },
};

const without = (object: Json, ...names: string[]): Json =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

const repairProvenance = (value: unknown): unknown =>
  isSchema(value) && typeof value === 'object' && value['author'] === 'HUMAN'
    ? without(value, 'model', 'model_version')
    : value;

const eachOf = (value: unknown, change: (item: Json) => Json): unknown =>
  Array.isArray(value) ? value.map(change) : value;

const repairStory = (payload: Json): Json => {
  const lifecycle = payload['lifecycle'] ?? { phase: 'READY_TO_AIR', phase_entered_at: moment };
  const story: Json = {
    ...(payload['story_type'] === 'ACTIVE'
      ? { ...payload, lifecycle }
      : without(payload, 'lifecycle')),
  };
  const authored = (item: Json): Json =>
    'provenance' in item ? { ...item, provenance: repairProvenance(item['provenance']) } : item;
  if ('assets' in story) story['assets'] = eachOf(story['assets'], authored);
  const claimed = (item: Json): Json =>
    authored({
      ...item,
      claim: { ...(item['claim'] as Json), ...claims[`${item['assertion_type']}`] },
    });
  if ('assertions' in story) story['assertions'] = eachOf(story['assertions'], claimed);
  if (Array.isArray(story['tags'])) {
    story['tags'] = [...new Map(story['tags'].map(tag => [JSON.stringify(tag), tag])).values()];
  }
  return story;
};

const when = { exposure_start: moment, exposure_end: moment };
const withdrawn = { withdrawn_by: '', withdrawn_at: moment };

const byType: Readonly<Record<string, (payload: Json) => Json>> = {
  'story.context': repairStory,
  'telling.started': payload => without({ ...when, ...payload }, 'exposure_end'),
  'telling.ended': payload => ({ exposure_end: moment, ...payload }),
  'telling.exposed': payload => ({ ...when, ...payload }),
  'link.committed': payload =>
    without({ committed_by: '', committed_at: moment, ...payload }, 'withdrawn'),
  'link.gate_changed': payload => without(payload, 'withdrawn'),
  'link.withdrawn': payload => ({ withdrawn, ...payload }),
};

/** Valid messages of one type, drawn from an envelope schema and a family's. */
export const arbitraryMessage = (
  messageType: string,
  schemas: { readonly envelope: ObjectSchema; readonly family: ObjectSchema },
): fc.Arbitrary<Json> => {
  const repair = byType[messageType] ?? (payload => payload);
  const payload = arbitraryValue(schemas.family, schemas.family).map(value => {
    const named =
      'message_type' in (value as Json) ? { ...(value as Json), message_type: messageType } : value;
    return repair(named as Json);
  });
  const outer = arbitraryValue(schemas.envelope, schemas.envelope);
  return fc.tuple(outer, payload).map(([members, inner]) => ({
    ...envelope(messageType, inner),
    ...(members as Json),
    message_type: messageType,
    payload: inner,
  }));
};

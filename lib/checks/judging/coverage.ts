import deliverySchema from '../../../schemas/delivery-media-available.schema.json';
import envelopeSchema from '../../../schemas/envelope.schema.json';
import linkSchema from '../../../schemas/link-event.schema.json';
import warningSchema from '../../../schemas/skill-warning.schema.json';
import storySchema from '../../../schemas/story-context.schema.json';
import auditSchema from '../../../schemas/system-audit.schema.json';
import tellingSchema from '../../../schemas/telling-event.schema.json';
import { type Family, families } from '../../contract/message-types.ts';
import type { CoverageReport } from '../../contract/portal/checks.ts';
import { isJsonObject, type JsonObject, textOf } from '../../platform/json/value.ts';

interface Member {
  /** Such as `assets[].usage[].state`. */
  readonly path: string;
  readonly required: boolean;
  readonly values: readonly string[];
  /** Such as `string, date-time` or `list of object`. */
  readonly type: string;
  readonly description: string;
}

const payloadSchemas: Readonly<Record<Family, JsonObject>> = {
  'story-context': storySchema,
  'telling-event': tellingSchema,
  'link-event': linkSchema,
  'delivery-media-available': deliverySchema,
  'system-audit': auditSchema,
  'skill-warning': warningSchema,
};

const objectAt = (schema: JsonObject, name: string): JsonObject => {
  const value = schema[name];
  return isJsonObject(value) ? value : {};
};

const listAt = (schema: JsonObject, name: string): readonly unknown[] => {
  const value = schema[name];
  return Array.isArray(value) ? value : [];
};

const textsAt = (schema: JsonObject, name: string): readonly string[] =>
  listAt(schema, name).filter(value => typeof value === 'string');

/**
 * The members of one schema, with those of all schemas that it refers to. Our own schemas refer
 * only to their `$defs`.
 */
class Walk {
  readonly #root: JsonObject;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  #meant(schema: unknown): readonly JsonObject[] {
    if (!isJsonObject(schema)) return [];
    const { $ref } = schema;
    if (typeof $ref === 'string')
      return this.#meant(objectAt(this.#root, '$defs')[$ref.slice('#/$defs/'.length)]);
    const alternatives = listAt(schema, 'anyOf').filter(one => isJsonObject(one) && 'type' in one);
    return alternatives.length > 0 ? alternatives.flatMap(one => this.#meant(one)) : [schema];
  }

  *#inside(schema: unknown, at: string): Iterable<Member> {
    for (const one of this.#meant(schema)) {
      if (one['type'] === 'array') yield* this.#inside(one['items'], `${at}[]`);
      else yield* this.of(one, `${at}.`);
    }
  }

  #values(schema: unknown): readonly string[] {
    const meant = this.#meant(schema);
    const items = meant.flatMap(one =>
      one['type'] === 'array' ? this.#meant(one['items']) : [one],
    );
    const listed = items.flatMap(one => textsAt(one, 'enum'));
    return listed.length > 1 ? listed : [];
  }

  #typeOf(schema: unknown): string {
    const words = this.#meant(schema).map(one => {
      if (one['type'] === 'array') return `list of ${this.#typeOf(one['items'])}`;
      return [one['type'] ?? typeof (one['const'] ?? listAt(one, 'enum')[0]), one['format']]
        .filter(word => typeof word === 'string')
        .join(', ');
    });
    return [...new Set(words)].join(' or ');
  }

  *of(schema: JsonObject, prefix = ''): Iterable<Member> {
    const required = textsAt(schema, 'required');
    for (const [name, property] of Object.entries(objectAt(schema, 'properties'))) {
      // A false schema: the member may not be there.
      if (property === false) continue;
      const path = `${prefix}${name}`;
      yield {
        path,
        required: required.includes(name),
        values: this.#values(property),
        type: this.#typeOf(property),
        description: isJsonObject(property) ? textOf(property, 'description') : '',
      };
      yield* this.#inside(property, path);
    }
  }
}

const conditionsOf = (schema: JsonObject, messageType: string) => {
  const required: string[] = [];
  const forbidden: string[] = [];
  for (const condition of listAt(schema, 'allOf').filter(isJsonObject)) {
    const named = objectAt(objectAt(objectAt(condition, 'if'), 'properties'), 'message_type')[
      'const'
    ];
    if (named === undefined) continue;
    const branch = objectAt(condition, named === messageType ? 'then' : 'else');
    required.push(...textsAt(branch, 'required'));
    forbidden.push(...textsAt(objectAt(branch, 'not'), 'required'));
  }
  return { required, forbidden };
};

const schemaOf = (messageType: string): JsonObject => {
  const family = families.get(messageType);
  return family === undefined ? {} : payloadSchemas[family];
};

export const descriptionOf = (messageType: string): string =>
  textOf(schemaOf(messageType), 'description');

export const membersOf = (messageType: string): readonly Member[] => {
  const schema = schemaOf(messageType);
  const { required, forbidden } = conditionsOf(schema, messageType);
  return [...new Walk(schema).of(schema)]
    .filter(({ path }) => !forbidden.some(name => path === name || path.startsWith(`${name}.`)))
    .map(member => ({
      ...member,
      required: member.required || required.includes(member.path),
      // The type of the message is what the row is about.
      values: member.path === 'message_type' ? [] : member.values,
    }));
};

const valuesAt = (value: unknown, path: string): readonly unknown[] =>
  path.split('.').reduce<readonly unknown[]>(
    (found, step) =>
      found.flatMap(one => {
        const [, name = '', lists = ''] = /^([^[]*)((?:\[\])*)$/.exec(step) ?? [];
        const inner = isJsonObject(one) && Object.hasOwn(one, name) ? [one[name]] : [];
        return lists === '' ? inner : inner.flatMap(list => (Array.isArray(list) ? list : []));
      }),
    [value],
  );

const rowOf = (
  message_type: string,
  { path, required, values }: Member,
  parts: readonly unknown[],
) => {
  const found = parts.flatMap(part => valuesAt(part, path));
  const texts = new Set(found.flat().filter(value => typeof value === 'string'));
  const listed = {
    values_seen: values.filter(value => texts.has(value)),
    values_missing: values.filter(value => !texts.has(value)),
  };
  const row = { message_type, member: path, required, seen: found.length > 0 };
  return values.length > 0 ? { ...row, ...listed } : row;
};

const envelopeRow = 'envelope';

/**
 * How much of SOM 1.0 messages have used: the members of the envelope and of the payloads of the
 * given types. The percentage counts members.
 */
export const coverageOf = (
  messages: readonly JsonObject[],
  types: readonly string[],
): CoverageReport => {
  const envelope = [...new Walk(envelopeSchema).of(envelopeSchema)].map(member =>
    rowOf(envelopeRow, member, messages),
  );
  const payloads = types.flatMap(type => {
    const parts = messages.filter(one => one['message_type'] === type).map(one => one['payload']);
    return membersOf(type).map(member => rowOf(type, member, parts));
  });
  const rows = [...envelope, ...payloads];
  const seen = rows.filter(row => row.seen).length;
  return { percent: Math.round((seen / rows.length) * 1000) / 10, rows };
};

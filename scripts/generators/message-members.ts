import { readFileSync } from 'node:fs';
import type { DescribedMembers, SomMember } from '../../lib/checks/judging/coverage.ts';
import { families, typeWords } from '../../lib/contract/message-types.ts';
import { isJsonObject, type JsonObject, textOf } from '../../lib/platform/json/value.ts';

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

  *#inside(schema: unknown, at: string): Iterable<SomMember> {
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

  *of(schema: JsonObject, prefix = ''): Iterable<SomMember> {
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

const schemaOf = (name: string): JsonObject =>
  JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8'));

const envelope = (): DescribedMembers => {
  const schema = schemaOf('envelope');
  const members = [...new Walk(schema).of(schema)];
  return { description: textOf(schema, 'description'), members };
};

const described = (messageType: string, family: string): DescribedMembers => {
  const schema = schemaOf(family);
  const { required, forbidden } = conditionsOf(schema, messageType);
  const members = [...new Walk(schema).of(schema)]
    .filter(({ path }) => !forbidden.some(name => path === name || path.startsWith(`${name}.`)))
    .map(member => ({
      ...member,
      required: member.required || required.includes(member.path),
      // The type of the message is what the row is about.
      values: member.path === 'message_type' ? [] : member.values,
    }));
  return { description: typeWords[messageType] ?? textOf(schema, 'description'), members };
};

/** The members that SOM 1.0 has for the envelope and for each message type. */
export const files = (): ReadonlyMap<string, string> => {
  const types = [...families].map(([type, family]) => [type, described(type, family)] as const);
  const all = Object.fromEntries([['envelope', envelope()], ...types]);
  const text = `import type { DescribedMembers } from '../checks/judging/coverage.ts';

export const messageMembers: Readonly<Record<string, DescribedMembers>> = ${JSON.stringify(all)};
`;
  return new Map([['message-members.generated.ts', text]]);
};

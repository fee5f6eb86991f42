import { limitReached } from '../access/registry/declined.ts';
import type { Slot } from '../contract/bounds.ts';
import { fitting } from '../contract/outside.ts';
import { countedIn, endCounted, type SlotClaim, tryWithin } from '../platform/aws/bounded.ts';
import { expr } from '../platform/aws/expression.ts';
import { failedWrite, holds, retryOnConflict } from '../platform/aws/many-items.ts';
import {
  getItem,
  itemReader,
  itemsUnder,
  keyDigest,
  partUnder,
  type Table,
  transactWrite,
  updateItem,
} from '../platform/aws/table.ts';
import { jsonAsWritten, textAsWritten } from '../platform/json/as-written.ts';
import { own } from '../platform/json/submitted.ts';
import { isJsonObject } from '../platform/json/value.ts';
import { usableScale } from './check-instances.ts';
import { type InstanceValues, instanceValues, writtenValues } from './instance-values.ts';
import type { SkillRegistration, SkillRegistrations } from './registrations.ts';

/** DynamoDB takes this many writes in one transaction. */
const transactionItems = 100;

const partition = (connection: string): string => `SKILLS#${connection}`;

const labelPrefix = 'LABEL#';

const registrationKey = ({ connection, instance_label }: SkillRegistration) => ({
  pk: partition(connection),
  sk: labelPrefix + keyDigest(instance_label),
});

/** Where the label of an id is found. */
const idKey = ({ connection, id }: Pick<SkillRegistration, 'connection' | 'id'>) => ({
  pk: partition(connection),
  sk: `ID#${id}`,
});

const idItem = (registration: SkillRegistration) => ({
  ...idKey(registration),
  label_sk: registrationKey(registration).sk,
});

/** The configuration is kept as JSON text: its maps may have any names, `__proto__` too. */
const registrationItem = (registration: SkillRegistration) => {
  const { id, connection, skill_id, skill_version, instance_label, paused } = registration;
  const { authority_scale } = registration;
  const configuration = {
    values: writtenValues(registration),
    ...(authority_scale && { authority_scale }),
  };
  return {
    ...registrationKey(registration),
    id,
    connection,
    skill_id,
    skill_version,
    instance_label,
    paused,
    configuration_json: textAsWritten(configuration),
    created_at: registration.createdAt,
  };
};

const configurationOf = (
  text: string,
): InstanceValues & Pick<SkillRegistration, 'authority_scale'> => {
  const stored: unknown = JSON.parse(text);
  const written = jsonAsWritten(text);
  const values = isJsonObject(stored) ? own(stored, 'values') : undefined;
  if (!isJsonObject(stored) || !isJsonObject(values) || !isJsonObject(written))
    throw new Error('A stored skill registration has no values.');
  const scale = usableScale(own(stored, 'authority_scale'));
  return {
    ...instanceValues(values, own(written, 'values')),
    ...(scale && { authority_scale: scale }),
  };
};

const readRegistration = (item: Readonly<Record<string, unknown>>): SkillRegistration => {
  const read = itemReader(item);
  return {
    id: read.text('id'),
    connection: read.text('connection'),
    skill_id: read.text('skill_id'),
    skill_version: read.text('skill_version'),
    instance_label: read.text('instance_label'),
    ...configurationOf(read.text('configuration_json')),
    paused: item['paused'] === true,
    createdAt: read.text('created_at'),
  };
};

const byAge = (a: SkillRegistration, b: SkillRegistration): number => {
  if (
    a.createdAt < b.createdAt ||
    (a.createdAt === b.createdAt && a.instance_label < b.instance_label)
  )
    return -1;
  return 1;
};

const registrationsOf = async (
  table: Table,
  connection: string,
): Promise<readonly SkillRegistration[]> => {
  const items = await itemsUnder(table, partition(connection), labelPrefix);
  return items.map(readRegistration).sort(byAge);
};

const remove = (table: Table, registration: SkillRegistration): Promise<boolean> => {
  const removal = {
    Key: registrationKey(registration),
    ConditionExpression: expr`id = ${registration.id}`,
  };
  return endCounted(table, { Delete: removal }, [{ Delete: { Key: idKey(registration) } }]);
};

/** Writes all of them; or writes none, and says why. */
const put = async (
  table: Table,
  registrations: readonly SkillRegistration[],
  slots: readonly Slot[],
): ReturnType<SkillRegistrations['add']> => {
  const claim: SlotClaim = { slots, holders: registrations.map(({ id }) => id) };
  const puts = registrations.map(registration => ({
    Put: {
      Item: {
        ...registrationItem(registration),
        ...countedIn({ slots, holders: [registration.id] }),
      },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  }));
  const found = registrations.map(registration => ({ Put: { Item: idItem(registration) } }));
  const result = await tryWithin(table, [...puts, ...found], claim);
  if (typeof result !== 'number') return result && limitReached(result);
  return { taken: registrations[result]?.instance_label ?? '' };
};

/** With the same label, both have the same key; with another one, both change or none. */
const replace = async (
  table: Table,
  before: SkillRegistration,
  after: SkillRegistration,
): ReturnType<SkillRegistrations['replace']> => {
  const isBefore = { ConditionExpression: expr`id = ${before.id} AND paused = ${before.paused}` };
  // It has the place of the one before.
  const stored = await getItem(table, { Key: registrationKey(before), ConsistentRead: true });
  const { counted_in, counted_as } = stored ?? {};
  const counted = counted_as === undefined ? {} : { counted_in, counted_as };
  const Item = { ...registrationItem(after), ...counted };
  const stays = [{ Put: { Item, ...isBefore } }];
  const moves = [
    { Delete: { Key: registrationKey(before), ...isBefore } },
    { Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } },
  ];
  const moved = before.instance_label === after.instance_label ? stays : moves;
  try {
    const found = [{ Delete: { Key: idKey(before) } }, { Put: { Item: idItem(after) } }];
    await retryOnConflict(() => transactWrite(table, [...moved, ...found]));
    return 'replaced';
  } catch (error) {
    const failed = failedWrite(error);
    if (failed < 0) throw error;
    return failed === 0 ? 'changed' : 'taken';
  }
};

export const awsSkillRegistrations = (table: Table): SkillRegistrations => ({
  of: connection => registrationsOf(table, connection),

  async page(connection, part) {
    const of = { parent: partition(connection), prefix: labelPrefix };
    const { items, ...more } = await partUnder(table, of, part);
    return fitting({ entries: items.map(readRegistration), ...more }, ({ instance_label }) =>
      keyDigest(instance_label),
    );
  },

  async find(connection, id) {
    const known = await getItem(table, { Key: idKey({ connection, id }), ConsistentRead: true });
    const Key = { pk: partition(connection), sk: known?.['label_sk'] };
    const item = known && (await getItem(table, { Key, ConsistentRead: true }));
    if (item?.['id'] === id) return readRegistration(item);
    return undefined;
  },

  async add(registrations, slots) {
    const width = Math.floor((transactionItems - slots.length) / 2);
    for (let at = 0; at < registrations.length; at += width) {
      const conflict = await put(table, registrations.slice(at, at + width), slots);
      if (!conflict) continue;
      await Promise.all(registrations.slice(0, at).map(written => remove(table, written)));
      return conflict;
    }
    return undefined;
  },

  replace: (before, after) => replace(table, before, after),

  remove: registration => remove(table, registration),

  setPaused(registration, paused) {
    const update = updateItem(table, {
      Key: registrationKey(registration),
      UpdateExpression: expr`SET paused = ${paused}`,
      ConditionExpression: expr`id = ${registration.id}`,
    });
    return holds(update);
  },
});

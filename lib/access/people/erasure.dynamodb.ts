import { expr } from '../../platform/aws/expression.ts';
import {
  deleteItem,
  getItem,
  type Item,
  queryAll,
  type Table,
  updateItem,
} from '../../platform/aws/table.ts';
import { isJsonObject } from '../../platform/json/value.ts';
import { partyKey } from '../registry/items.dynamodb.ts';
import { changesPartition } from './changes.dynamodb.ts';
import { personPartition } from './directory.dynamodb.ts';
import type { Identity, NamedPerson } from './members.ts';

/** Takes a person's name out of what is stored. */
export interface Erasure {
  /** In the record of changes of an organisation, and in who asked for it. @returns how often */
  inOrganisation(organisation: string, person: Identity): Promise<number>;
  /** What is stored below the person: places, and organisations that were asked for. */
  ofPerson(person: Identity): Promise<void>;
}

/** Who did something, after the person was erased. */
const erasedAuthor: Omit<NamedPerson, 'issuer'> = {
  subject: 'erased',
  name: 'a person who was erased',
};

const keyOf = ({ pk, sk }: Item) => ({ pk, sk });

const allUnder = (table: Table, pk: string): Promise<readonly Item[]> =>
  queryAll(table, { ConsistentRead: true, KeyConditionExpression: expr`pk = ${pk}` });

/** @returns whether the person had asked for the organisation */
const forgetRequest = async (
  registry: Table,
  organisation: string,
  { issuer, subject }: Identity,
): Promise<boolean> => {
  const Key = partyKey('organisation', organisation);
  const stored = await getItem(registry, { Key, ConsistentRead: true });
  const { requested_by: asker } = stored ?? {};
  if (!isJsonObject(asker) || asker['issuer'] !== issuer || asker['subject'] !== subject)
    return false;
  await updateItem(registry, { Key, UpdateExpression: 'REMOVE requested_by, asked_because' });
  return true;
};

export const awsErasure = ({
  registry,
  activity,
}: Readonly<Record<'registry' | 'activity', Table>>): Erasure => ({
  async inOrganisation(organisation, person) {
    const changes = await allUnder(activity, changesPartition(organisation));
    const own = changes.filter(
      ({ issuer, subject }) => issuer === person.issuer && subject === person.subject,
    );
    const { subject, name } = erasedAuthor;
    for (const change of own)
      await updateItem(activity, {
        Key: keyOf(change),
        UpdateExpression: expr`SET subject = ${subject}, #name = ${name}`,
      });
    const wasAsked = await forgetRequest(registry, organisation, person);
    return own.length + (wasAsked ? 1 : 0);
  },

  async ofPerson(person) {
    for (const item of await allUnder(registry, personPartition(person)))
      await deleteItem(registry, { Key: keyOf(item) });
  },
});

import { countedIn, endCounted, type Holding, writeWithin } from '../aws/bounded.ts';
import { expr } from '../aws/expression.ts';
import { getItem, partUnder, queryChildren, type Table } from '../aws/table.ts';
import { childrenIndex, partyKey, partyPrefixes, setAllotment } from './items.dynamodb.ts';
import { type Declined, limitReached } from './operator.ts';
import type { Directory, Party, PartyKind } from './organisations.ts';
import { partyItem, readParty, requestItem, root } from './party-items.dynamodb.ts';
import { requestSlots } from './slots.ts';

const byAge = (a: Party, b: Party): number =>
  a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id);

const holdingOf = (party: Party): Holding => {
  const holders = [party.id];
  if (party.kind !== 'organisation')
    return { holders, slots: [{ bound: `${party.kind}s`, scope: 'organisation', of: party.organisation }] };
  return { holders, slots: party.requestedBy ? requestSlots(party.requestedBy) : [] };
};

const addParty = async (table: Table, party: Party): Promise<Declined | undefined> => {
  const holding = holdingOf(party);
  const Item = { ...partyItem(party), ...countedIn(holding) };
  const requestedBy = party.kind === 'organisation' ? party.requestedBy : undefined;
  const writes = [
    { Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } },
    ...(requestedBy ? [{ Put: { Item: requestItem(requestedBy, party.id) } }] : []),
  ];
  const full = await writeWithin(table, writes, holding);
  return full && limitReached(full);
};

export const awsDirectory = (table: Table): Directory => {
  const children = async (kind: PartyKind, parent: string): Promise<readonly Party[]> =>
    (await queryChildren(table, childrenIndex, { parent, prefix: partyPrefixes[kind] }))
      .map(readParty)
      .sort(byAge);

  return {
    add: party => addParty(table, party),
    async find(kind, id) {
      const item = await getItem(table, { Key: partyKey(kind, id), ConsistentRead: true });
      return item && readParty(item);
    },
    async page(kind, parent, part) {
      const of = { index: childrenIndex, parent: parent ?? root, prefix: partyPrefixes[kind] } as const;
      const { items, ...more } = await partUnder(table, of, part);
      return { entries: items.map(readParty), ...more };
    },
    async list(kind, parent) {
      if (kind === 'organisation') return children(kind, root);
      if (parent !== undefined) return children(kind, parent);
      const organisations = await children('organisation', root);
      return (await Promise.all(organisations.map(({ id }) => children(kind, id)))).flat();
    },
    setQuota: (organisation, allotment) =>
      setAllotment(table, partyKey('organisation', organisation), allotment),
    setStatus(organisation, { from, to, tier }) {
      const Update = {
        Key: partyKey('organisation', organisation),
        UpdateExpression: expr`SET #status = ${to}${tier ? expr`, tier = ${tier}` : expr``} REMOVE counted_in, counted_as`,
        ConditionExpression: expr`#status = ${from}`,
      };
      return endCounted(table, { Update });
    },
    revoke: (kind, id) =>
      endCounted(table, {
        Update: {
          Key: partyKey(kind, id),
          UpdateExpression: expr`SET #status = ${'revoked'} REMOVE counted_in, counted_as`,
          ConditionExpression: 'attribute_exists(pk)',
        },
      }),
  };
};

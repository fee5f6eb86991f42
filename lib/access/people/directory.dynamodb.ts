import { defined } from '../../contract/outside.ts';
import { countedIn, endCounted, type SlotClaim, writeWithin } from '../../platform/aws/bounded.ts';
import { assignments, expr } from '../../platform/aws/expression.ts';
import {
  findItem,
  type Item,
  itemReader,
  partUnder,
  queryChildren,
  type Table,
} from '../../platform/aws/table.ts';
import { type Declined, unlessFull } from '../registry/declined.ts';
import {
  childrenIndex,
  partyKey,
  partyPrefixes,
  quotaMap,
  readAllotment,
  setAllotment,
  statuses,
} from '../registry/items.dynamodb.ts';
import { requestSlots } from '../registry/slots.ts';
import { type Identity, type NamedPerson, personKey } from './members.ts';
import type { Directory, Party, PartyKind } from './organisations.ts';

const root = 'root';

export const personPartition = (person: Identity): string => `PERSON#${personKey(person)}`;

export const requestPrefix = 'REQUEST#';

export const requestItem = (person: Identity, organisation: string): Item => ({
  pk: personPartition(person),
  sk: requestPrefix + organisation,
});

const organisationStatuses = [...statuses, 'requested', 'declined', 'suspended'] as const;
export const partyItem = (party: Party): Item => {
  const { kind, id, name, status, createdAt } = party;
  const common = { ...partyKey(kind, id), kind, id, name, status, created_at: createdAt };
  if (kind === 'organisation')
    return {
      ...common,
      parent: root,
      tier: party.tier,
      type: party.type,
      ...(party.isInvited && { invited: true }),
      ...(party.requestedBy && { requested_by: party.requestedBy }),
      ...(party.reason && { asked_because: party.reason }),
      ...(party.quota && { quota: quotaMap(party.quota) }),
    };
  return { ...common, parent: party.organisation };
};

export const readPerson = (value: unknown): NamedPerson => {
  const read = itemReader(typeof value === 'object' && value !== null ? { ...value } : {});
  return {
    issuer: read.text('issuer'),
    subject: read.text('subject'),
    name: read.text('name'),
    ...defined({ email: read.optionalText('email') }),
  };
};

const readParty = (item: Item): Party => {
  const read = itemReader(item);
  const kind = read.oneOf('kind', ['organisation', 'workspace', 'app']);
  const common = {
    id: read.text('id'),
    name: read.text('name'),
    createdAt: read.text('created_at'),
  };
  if (kind !== 'organisation')
    return {
      kind,
      ...common,
      status: read.oneOf('status', statuses),
      organisation: read.text('parent'),
    };
  return {
    kind,
    ...common,
    status: read.oneOf('status', organisationStatuses),
    type: read.oneOf('type', ['house', 'vendor']),
    ...readAllotment(item),
    ...(item['invited'] === true && { isInvited: true }),
    ...(item['requested_by'] !== undefined && { requestedBy: readPerson(item['requested_by']) }),
    ...defined({ reason: read.optionalText('asked_because') }),
  };
};

const byAge = (a: Party, b: Party): number =>
  a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id);

/** What it takes a place in: of organisations, only those that somebody asked for are counted. */
const claimOf = (party: Party): SlotClaim => {
  const holders = [party.id];
  if (party.kind !== 'organisation')
    return {
      holders,
      slots: [{ bound: `${party.kind}s`, scope: 'organisation', of: party.organisation }],
    };
  return { holders, slots: party.requestedBy ? requestSlots(party.requestedBy) : [] };
};

const addParty = async (table: Table, party: Party): Promise<Declined | undefined> => {
  const claim = claimOf(party);
  const Item = { ...partyItem(party), ...countedIn(claim) };
  const requestedBy = party.kind === 'organisation' ? party.requestedBy : undefined;
  const writes = [
    { Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } },
    ...(requestedBy ? [{ Put: { Item: requestItem(requestedBy, party.id) } }] : []),
  ];
  return unlessFull(writeWithin(table, writes, claim));
};

export const awsDirectory = (table: Table): Directory => {
  const children = async (kind: PartyKind, parent: string): Promise<readonly Party[]> =>
    (await queryChildren(table, childrenIndex, { parent, prefix: partyPrefixes[kind] }))
      .map(readParty)
      .sort(byAge);

  return {
    add: party => addParty(table, party),
    find: (kind, id) => findItem(table, partyKey(kind, id), readParty),
    async page(kind, parent, part) {
      const of = {
        index: childrenIndex,
        parent: parent ?? root,
        prefix: partyPrefixes[kind],
      } as const;
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
      // Of organisations, only open requests are counted: whatever comes next ends that.
      const changes = assignments(defined({ status: to, tier }));
      const Update = {
        Key: partyKey('organisation', organisation),
        UpdateExpression: expr`SET ${changes} REMOVE counted_in, counted_as`,
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

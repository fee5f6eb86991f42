import { type Item, itemReader } from '../aws/table.ts';
import { partyKey, quotaMap, readAllotment, statuses } from './items.dynamodb.ts';
import { type Identity, type NamedPerson, personKey } from './members.ts';
import type { Party } from './organisations.ts';

export const root = 'root';

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
  return kind === 'organisation'
    ? {
        ...common,
        parent: root,
        tier: party.tier,
        type: party.type,
        ...(party.isInvited ? { invited: true } : {}),
        ...(party.requestedBy ? { requested_by: party.requestedBy } : {}),
        ...(party.quota ? { quota: quotaMap(party.quota) } : {}),
      }
    : { ...common, parent: party.organisation };
};

export const readPerson = (value: unknown): NamedPerson => {
  const read = itemReader(typeof value === 'object' && value !== null ? { ...value } : {});
  return {
    issuer: read.text('issuer'),
    subject: read.text('subject'),
    name: read.text('name'),
    ...(read.has('email') ? { email: read.text('email') } : {}),
  };
};

export const readParty = (item: Item): Party => {
  const read = itemReader(item);
  const kind = read.oneOf('kind', ['organisation', 'workspace', 'app']);
  const common = {
    id: read.text('id'),
    name: read.text('name'),
    createdAt: read.text('created_at'),
  };
  if (kind !== 'organisation')
    return { kind, ...common, status: read.oneOf('status', statuses), organisation: read.text('parent') };
  return {
    kind,
    ...common,
    status: read.oneOf('status', organisationStatuses),
    type: read.oneOf('type', ['house', 'vendor']),
    ...readAllotment(item),
    ...(item['invited'] === true ? { isInvited: true } : {}),
    ...(item['requested_by'] === undefined ? {} : { requestedBy: readPerson(item['requested_by']) }),
  };
};

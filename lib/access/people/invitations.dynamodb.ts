import type { Slot } from '../../contract/bounds.ts';
import { defined } from '../../contract/outside.ts';
import { roles } from '../../contract/portal/portal.ts';
import {
  countedIn,
  endCounted,
  endingHolder,
  releases,
  releasesOf,
  type SlotClaim,
  tryWithin,
  writeWithin,
} from '../../platform/aws/bounded.ts';
import { assignments, expr } from '../../platform/aws/expression.ts';
import { transactIf } from '../../platform/aws/many-items.ts';
import {
  findItem,
  getItem,
  type Item,
  itemReader,
  queryChildren,
  type Table,
  type TableWrite,
  type Update,
} from '../../platform/aws/table.ts';
import { limitReached, unlessFull } from '../registry/declined.ts';
import { childrenIndex } from '../registry/items.dynamodb.ts';
import { partyItem, readPerson } from './directory.dynamodb.ts';
import type {
  Guest,
  GuestTerms,
  InvitationAcceptance,
  Invitations,
  Offer,
  OpenInvitation,
} from './invitations.ts';
import { isOwner, memberClaim, memberWrites, placeKey, vendorKey } from './members.dynamodb.ts';
import { personKey } from './members.ts';

const prefix = 'INVITATION#';

const key = (hash: string) => ({ pk: prefix + hash, sk: 'INVITATION' });

const kinds = ['producer', 'consumer'] as const;

const termsItem = ({ kinds: allowed, grants, receives }: GuestTerms): Item => ({
  kinds: allowed,
  grants,
  receives,
});

const readTerms = (item: Item): GuestTerms => {
  const read = itemReader(item);
  const stored = read.texts('kinds');
  return {
    kinds: kinds.filter(kind => stored.includes(kind)),
    grants: read.texts('grants'),
    receives: read.texts('receives'),
  };
};

const offerItem = (offer: Offer): Item => {
  const { kind, organisation, email } = offer;
  const common = { offer: kind, organisation, ...defined({ email }) };
  if (offer.kind === 'member') return { ...common, role: offer.role };
  return { ...common, workspace: offer.workspace, ...termsItem(offer.terms) };
};

const readOffer = (item: Item): Offer => {
  const read = itemReader(item);
  const common = {
    organisation: read.text('organisation'),
    ...defined({ email: read.optionalText('email') }),
  };
  if (read.oneOf('offer', ['member', 'vendor']) === 'member')
    return { kind: 'member', ...common, role: read.oneOf('role', roles) };
  return { kind: 'vendor', ...common, workspace: read.text('workspace'), terms: readTerms(item) };
};

const readInvitation = (item: Item): OpenInvitation => {
  const read = itemReader(item);
  return {
    id: read.text('pk').slice(prefix.length),
    offer: readOffer(item),
    until: read.number('valid_until'),
    ...(item['made_by'] !== undefined && { by: readPerson(item['made_by']) }),
  };
};

/** Another invitation changes the terms of a place, and not since when it is one. */
const guestUpdate = ({ workspace, organisation, terms, since }: Guest): Update => {
  const changes = assignments({ workspace, organisation, ...termsItem(terms) });
  return {
    Key: vendorKey(workspace, organisation),
    UpdateExpression: expr`SET ${changes}, since = if_not_exists(since, ${since})`,
  };
};

/** An owner who loses that role in the same moment takes the invitation with it. */
const makerIsOwner = ({ by, offer }: OpenInvitation): readonly TableWrite[] =>
  by ? [{ ConditionCheck: isOwner({ ...by, organisation: offer.organisation }) }] : [];

const claimOf = (
  hash: string,
  { offer, until }: Pick<OpenInvitation, 'offer' | 'until'>,
  now: number,
) => {
  const slots: Slot[] = [{ bound: 'invitations', scope: 'organisation', of: offer.organisation }];
  if (offer.kind === 'vendor')
    slots.push({ bound: 'invitations', scope: 'workspace', of: offer.workspace });
  return { slots, holders: [endingHolder(hash, until)], now } satisfies SlotClaim;
};

/** What taking an invitation up writes, all or nothing. */
const writes = (
  { invitation, now, member, guest, organisation }: InvitationAcceptance,
  stored: Item | undefined,
): readonly TableWrite[] => {
  const isValid = expr`valid_until > ${now}`;
  const all: TableWrite[] = [
    ...makerIsOwner(invitation),
    { Delete: { Key: key(invitation.id), ConditionExpression: isValid } },
  ];
  if (organisation) {
    const Item = partyItem(organisation);
    all.push({ Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } });
  }
  if (member) all.push(...memberWrites(member));
  if (guest) {
    all.push({ Update: guestUpdate(guest) });
    all.push({ Put: { Item: placeKey(guest.workspace, guest.organisation) } });
  }
  return [...all, ...releases(stored)];
};

const madeFor = async (table: Table, parent: string): Promise<readonly OpenInvitation[]> =>
  (await queryChildren(table, childrenIndex, { parent, prefix })).map(readInvitation);

const remove = (table: Table, organisation: string, id: string): Promise<boolean> =>
  endCounted(table, {
    Delete: { Key: key(id), ConditionExpression: expr`organisation = ${organisation}` },
  });

const vendorSlot = ({
  workspace,
  organisation,
}: Pick<Guest, 'workspace' | 'organisation'>): Slot => ({
  bound: 'vendors',
  scope: 'workspace',
  of: workspace,
  as: [organisation],
});

const accept = async (
  table: Table,
  acceptance: InvitationAcceptance,
): ReturnType<Invitations['accept']> => {
  const { invitation, member, guest } = acceptance;
  const stored = await getItem(table, { Key: key(invitation.id), ConsistentRead: true });

  // A vendor's place has its own name in its slot.
  const { slots, holders } = member ? memberClaim(member) : { slots: [], holders: [] };
  const claim = { slots: [...slots, ...(guest ? [vendorSlot(guest)] : [])], holders };
  const result = await tryWithin(table, writes(acceptance, stored), claim);
  if (typeof result === 'number') return 'used';
  return result && limitReached(result);
};

export const awsInvitations = (table: Table): Invitations => ({
  async add(hash, invitation, now) {
    const { offer, until, by } = invitation;
    const claim = claimOf(hash, invitation, now);
    const Item: Item = {
      ...key(hash),
      ...offerItem(offer),
      // Lists it below its organisation.
      parent: offer.organisation,
      ...(by && { made_by: by }),
      valid_until: until,
      expires_at: Math.ceil(until / 1000),
      ...countedIn(claim),
    };
    const put = { Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } };
    return unlessFull(writeWithin(table, [put], claim));
  },

  find: hash => findItem(table, key(hash), readInvitation),

  ofOrganisation: organisation => madeFor(table, organisation),

  withdraw: (organisation, id) => remove(table, organisation, id),

  async endMadeBy(organisation, person) {
    const all = await madeFor(table, organisation);
    const own = all.filter(({ by }) => by && personKey(by) === personKey(person));
    for (const { id } of own) await remove(table, organisation, id);
  },

  accept: acceptance => accept(table, acceptance),

  guestOf: (workspace, organisation) =>
    findItem(table, vendorKey(workspace, organisation), item => ({
      workspace,
      organisation,
      terms: readTerms(item),
      since: itemReader(item).text('since'),
    })),

  removeGuest: (workspace, organisation) =>
    transactIf(table, [
      {
        Delete: {
          Key: vendorKey(workspace, organisation),
          ConditionExpression: 'attribute_exists(pk)',
        },
      },
      { Delete: { Key: placeKey(workspace, organisation) } },
      ...releasesOf({ slots: [vendorSlot({ workspace, organisation })], holders: [] }),
    ]),
});

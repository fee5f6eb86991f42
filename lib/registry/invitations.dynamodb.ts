import {
  getItem,
  holds,
  type Item,
  itemReader,
  putItem,
  type Table,
  type TableWrite,
  transactWrite,
} from '../aws/table.ts';
import { roles } from '../contract/portal.ts';
import type { Acceptance, Guest, GuestTerms, Invitation, Invitations, Offer } from './invitations.ts';
import { partyItem } from './items.dynamodb.ts';
import { memberWrites, placeKey, vendorKey } from './members.dynamodb.ts';

const key = (hash: string) => ({ pk: `INVITATION#${hash}`, sk: 'INVITATION' });

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

const offerItem = (offer: Offer): Item =>
  offer.kind === 'member'
    ? { offer: 'member', organisation: offer.organisation, role: offer.role }
    : {
        offer: 'vendor',
        organisation: offer.organisation,
        workspace: offer.workspace,
        ...termsItem(offer.terms),
      };

const readInvitation = (item: Item): Invitation => {
  const read = itemReader(item);
  const organisation = read.text('organisation');
  const until = read.number('valid_until');
  return read.oneOf('offer', ['member', 'vendor']) === 'member'
    ? { until, offer: { kind: 'member', organisation, role: read.oneOf('role', roles) } }
    : {
        until,
        offer: { kind: 'vendor', organisation, workspace: read.text('workspace'), terms: readTerms(item) },
      };
};

const guestItem = ({ workspace, organisation, terms, since }: Guest): Item => ({
  ...vendorKey(workspace, organisation),
  workspace,
  organisation,
  since,
  ...termsItem(terms),
});

const writes = ({ hash, now, member, guest, organisation }: Acceptance): readonly TableWrite[] => [
  {
    Delete: {
      Key: key(hash),
      ConditionExpression: 'valid_until > :now',
      ExpressionAttributeValues: { ':now': now },
    },
  },
  ...(organisation
    ? [{ Put: { Item: partyItem(organisation), ConditionExpression: 'attribute_not_exists(pk)' } }]
    : []),
  ...(member ? memberWrites(member) : []),
  ...(guest
    ? [{ Put: { Item: guestItem(guest) } }, { Put: { Item: placeKey(guest.workspace, guest.organisation) } }]
    : []),
];

/** Invitations, and the vendors that came by them, in DynamoDB. A used invitation is deleted with what it brings. */
export const awsInvitations = (table: Table): Invitations => ({
  async add(hash, { offer, until }) {
    await putItem(table, {
      Item: {
        ...key(hash),
        ...offerItem(offer),
        valid_until: until,
        expires_at: Math.ceil(until / 1000),
      },
      ConditionExpression: 'attribute_not_exists(pk)',
    });
  },

  async find(hash) {
    const item = await getItem(table, { Key: key(hash), ConsistentRead: true });
    return item && readInvitation(item);
  },

  accept: acceptance => holds(transactWrite(table, writes(acceptance))),

  async guestOf(workspace, organisation) {
    const item = await getItem(table, { Key: vendorKey(workspace, organisation), ConsistentRead: true });
    return item && { workspace, organisation, terms: readTerms(item), since: itemReader(item).text('since') };
  },

  removeGuest: (workspace, organisation) =>
    holds(
      transactWrite(table, [
        {
          Delete: {
            Key: vendorKey(workspace, organisation),
            ConditionExpression: 'attribute_exists(pk)',
          },
        },
        { Delete: { Key: placeKey(workspace, organisation) } },
      ]),
    ),
});

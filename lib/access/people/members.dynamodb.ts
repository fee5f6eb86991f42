import { defined, type Entries, type Part } from '../../contract/outside.ts';
import { type Role, roles } from '../../contract/portal/portal.ts';
import { releasesOf, type SlotClaim, writeWithin } from '../../platform/aws/bounded.ts';
import { expr } from '../../platform/aws/expression.ts';
import { transactIf } from '../../platform/aws/many-items.ts';
import {
  deleteItem,
  type Item,
  itemReader,
  itemsUnder,
  partUnder,
  putItem,
  queryAll,
  type Table,
} from '../../platform/aws/table.ts';
import { unlessFull } from '../registry/declined.ts';
import { partyKey } from '../registry/items.dynamodb.ts';
import { personPartition, readPerson, requestPrefix } from './directory.dynamodb.ts';
import { type Identity, type Member, type Members, personKey } from './members.ts';

/** Who is meant, in which organisation. */
type MemberName = Identity & { organisation: string };

const memberPrefix = 'MEMBER#';
const organisationPrefix = 'ORGANISATION#';
const vendorPrefix = 'VENDOR#';
const guestPrefix = 'INVITED_TO#';

const memberKey = (organisation: string, person: Identity) => ({
  pk: partyKey('organisation', organisation).pk,
  sk: memberPrefix + personKey(person),
});
const edgeKey = ({ organisation, ...person }: MemberName) => ({
  pk: personPartition(person),
  sk: organisationPrefix + organisation,
});
const operatorKey = (person: Identity) => ({ pk: personPartition(person), sk: 'OPERATOR' });

/**
 * The same vendor's place, below the vendor: a workspace has to be found without knowing its host.
 */
export const placeKey = (workspace: string, organisation: string) => ({
  pk: partyKey('organisation', organisation).pk,
  sk: guestPrefix + workspace,
});

export const vendorKey = (workspace: string, organisation: string) => ({
  pk: partyKey('workspace', workspace).pk,
  sk: vendorPrefix + organisation,
});

const memberItem = ({ organisation, issuer, subject, role, name, email, since }: Member): Item => ({
  ...memberKey(organisation, { issuer, subject }),
  organisation,
  issuer,
  subject,
  role,
  name,
  since,
  ...defined({ email }),
});

const edgeItem = (member: Member): Item => {
  const { organisation, role } = member;
  return { ...edgeKey(member), organisation, role };
};

const readMember = (item: Item): Member => {
  const read = itemReader(item);
  return {
    ...readPerson(item),
    organisation: read.text('organisation'),
    role: read.oneOf('role', roles),
    since: read.text('since'),
  };
};

const isStill = (role: Role) => ({ ConditionExpression: expr`#role = ${role}` });

/**
 * The writes of a member: once below the organisation, once below the person, who has to be found
 * without an index.
 */
export const memberWrites = (member: Member, before?: Member) =>
  [memberItem(member), edgeItem(member)].map(Item => ({
    Put: { Item, ...(before && isStill(before.role)) },
  }));

export const memberClaim = (member: MemberName): SlotClaim => ({
  slots: [
    { bound: 'people', scope: 'organisation', of: member.organisation },
    { bound: 'memberships', scope: 'person', of: personKey(member), as: [member.organisation] },
  ],
  holders: [personKey(member)],
});

export const isOwner = (member: MemberName) => ({
  Key: edgeKey(member),
  ...isStill('owner'),
});

const kept = (keeper: Member | undefined) => (keeper ? [{ ConditionCheck: isOwner(keeper) }] : []);

const namesUnder = async (table: Table, pk: string, prefix: string): Promise<readonly string[]> => {
  const items = await itemsUnder(table, pk, prefix);
  return items.map(({ sk }) => String(sk).slice(prefix.length));
};

const partOfNames = async (
  table: Table,
  { parent, prefix }: { parent: string; prefix: string },
  part: Part,
): Promise<Entries<string>> => {
  const { items, ...more } = await partUnder(table, { parent, prefix }, part);
  return { entries: items.map(({ sk }) => String(sk).slice(prefix.length)), ...more };
};

const remove =
  (table: Table): Members['remove'] =>
  (member, keeper) => {
    const removals = [memberKey(member.organisation, member), edgeKey(member)].map(Key => ({
      Delete: { Key, ...isStill(member.role) },
    }));
    const writes = [...removals, ...kept(keeper), ...releasesOf(memberClaim(member))];
    return transactIf(table, writes);
  };

export const awsMembers = (table: Table): Members => ({
  async ofOrganisation(organisation) {
    const items = await itemsUnder(table, partyKey('organisation', organisation).pk, memberPrefix);
    return items.map(readMember).sort((a, b) => a.since.localeCompare(b.since));
  },

  async affiliationOf(person) {
    const items = await queryAll(table, {
      ConsistentRead: true,
      KeyConditionExpression: expr`pk = ${personPartition(person)}`,
    });
    const edges = items.filter(({ sk }) => String(sk).startsWith(organisationPrefix));
    return {
      roles: edges.map(item => ({
        organisation: itemReader(item).text('organisation'),
        role: itemReader(item).oneOf('role', roles),
      })),
      isOperator: items.some(({ sk }) => sk === 'OPERATOR'),
    };
  },

  requestsOf: (person, part) =>
    partOfNames(table, { parent: personPartition(person), prefix: requestPrefix }, part),

  async put(member) {
    return unlessFull(writeWithin(table, memberWrites(member), memberClaim(member)));
  },

  setRole: (member, role, keeper) =>
    transactIf(table, [...memberWrites({ ...member, role }, member), ...kept(keeper)]),

  remove: remove(table),

  setOperator(person, isOperator) {
    const key = operatorKey(person);
    return isOperator ? putItem(table, { Item: key }) : deleteItem(table, { Key: key });
  },

  vendorsOf: workspace => namesUnder(table, partyKey('workspace', workspace).pk, vendorPrefix),

  vendorsPage: (workspace, part) =>
    partOfNames(table, { parent: partyKey('workspace', workspace).pk, prefix: vendorPrefix }, part),

  placesOf: (organisation, part) =>
    partOfNames(
      table,
      { parent: partyKey('organisation', organisation).pk, prefix: guestPrefix },
      part,
    ),
});

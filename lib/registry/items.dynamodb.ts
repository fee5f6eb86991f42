import { itemReader } from '../aws/item-reader.ts';
import { getItem, holds, type Item, putItem, queryChildren, type Table, updateItem } from '../aws/table.ts';
import { type Quota, type Tier, tiers } from '../contract/limits.ts';
import type { Allotment, Connection } from './connection.ts';
import type { Credential } from './credentials.ts';
import type { Directory, Party, PartyKind } from './organisations.ts';
import { operatorScope, type Scope } from './roles.ts';

/** The index that lists what belongs to a parent: partition `parent`, sort `pk`. */
export const childrenIndex = 'children';

/** The parent of all organisations. */
const root = 'root';

const prefixes = { organisation: 'ORGANISATION#', workspace: 'WORKSPACE#', app: 'APP#' } as const;
const connectionPrefix = 'CONNECTION#';

const partyPrefix = (kind: PartyKind): string => prefixes[kind];

export const partyKey = (kind: PartyKind, id: string) => ({ pk: prefixes[kind] + id, sk: 'PARTY' });
export const connectionKey = (id: string) => ({ pk: connectionPrefix + id, sk: 'CONNECTION' });
export const credentialKey = (id: string) => ({ pk: connectionPrefix + id, sk: 'CREDENTIAL' });
/** The partition of what is registered in a workspace or by the operator. */
export const scopeKey = (scope: Scope): string =>
  scope === operatorScope ? 'OPERATOR' : prefixes.workspace + scope;
/** Who owns a system_id of a workspace. */
export const systemKey = (workspace: string, systemId: string) => ({
  pk: prefixes.workspace + workspace,
  sk: `SYSTEM#${systemId}`,
});
/** Finds the connections of an app. */
export const appConnectionKey = (app: string, connection: string) => ({
  pk: prefixes.app + app,
  sk: connectionPrefix + connection,
});
export const connectionsOf = connectionPrefix;

const statuses = ['active', 'revoked'] as const;
const connectionStatuses = [...statuses, 'paused'] as const;
const tierNames = Object.keys(tiers).filter((name): name is Tier => name in tiers);

const partyItem = (party: Party): Item => ({
  ...partyKey(party.kind, party.id),
  ...party,
  parent: party.kind === 'organisation' ? root : party.organisation,
});

const readQuota = (value: unknown): Quota => {
  const read = itemReader(typeof value === 'object' && value !== null ? { ...value } : {});
  return { perSecond: read.number('perSecond'), burst: read.number('burst'), perDay: read.number('perDay') };
};

const readParty = (item: Item): Party => {
  const read = itemReader(item);
  const kind = read.oneOf('kind', ['organisation', 'workspace', 'app']);
  const common = {
    id: read.text('id'),
    name: read.text('name'),
    status: read.oneOf('status', statuses),
    createdAt: read.text('createdAt'),
  };
  return kind === 'organisation'
    ? {
        kind,
        ...common,
        tier: read.oneOf('tier', tierNames),
        ...(read.has('quota') ? { quota: readQuota(item['quota']) } : {}),
      }
    : { kind, ...common, organisation: read.text('organisation') };
};

export const connectionItem = (connection: Connection): Item => ({
  ...connectionKey(connection.id),
  ...connection,
  parent: connection.workspace,
});

export const readConnection = (item: Item): Connection => {
  const read = itemReader(item);
  return {
    id: read.text('id'),
    kind: read.oneOf('kind', ['producer', 'consumer']),
    status: read.oneOf('status', connectionStatuses),
    organisation: read.text('organisation'),
    workspace: read.text('workspace'),
    app: read.text('app'),
    credentialVersion: read.number('credentialVersion'),
    tier: read.oneOf('tier', tierNames),
    ...(read.has('quota') ? { quota: readQuota(item['quota']) } : {}),
    systemIds: read.texts('systemIds'),
    grants: read.texts('grants'),
    receives: read.texts('receives'),
    sources: read.texts('sources'),
    ...(read.has('queue') ? { queue: read.text('queue') } : {}),
    createdAt: read.text('createdAt'),
  };
};

export const credentialItem = (id: string, { version, current, previous }: Credential): Item => ({
  ...credentialKey(id),
  version,
  ...(current ? { currentHash: current.hash, currentIssuedAt: current.issuedAt } : {}),
  ...(current?.lastUsedAt ? { currentUsedAt: current.lastUsedAt } : {}),
  ...(previous ? { previousHash: previous.hash, previousUntil: previous.until } : {}),
  ...(previous?.lastUsedAt ? { previousUsedAt: previous.lastUsedAt } : {}),
});

export const readCredential = (item: Item): Credential => {
  const read = itemReader(item);
  const used = (name: string) => (read.has(name) ? { lastUsedAt: read.text(name) } : {});
  return {
    version: read.number('version'),
    ...(read.has('currentHash') && {
      current: {
        hash: read.text('currentHash'),
        issuedAt: read.text('currentIssuedAt'),
        ...used('currentUsedAt'),
      },
    }),
    ...(read.has('previousHash') && {
      previous: {
        hash: read.text('previousHash'),
        until: read.number('previousUntil'),
        ...used('previousUsedAt'),
      },
    }),
  };
};

/** Writes the tier, and the numbers or their absence, of an item that exists; false when it does not. */
export const setAllotment = (
  table: Table,
  Key: { readonly pk: string; readonly sk: string },
  { tier, quota }: Allotment,
): Promise<boolean> =>
  holds(
    updateItem(table, {
      Key,
      UpdateExpression: quota ? 'SET tier = :tier, quota = :quota' : 'SET tier = :tier REMOVE quota',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':tier': tier, ...(quota ? { ':quota': quota } : {}) },
    }),
  );

const byAge = (a: Party, b: Party): number =>
  a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id);

/** Organisations, workspaces and apps in DynamoDB. */
export const awsDirectory = (table: Table): Directory => {
  const children = async (kind: PartyKind, parent: string): Promise<readonly Party[]> =>
    (await queryChildren(table, childrenIndex, { parent, prefix: partyPrefix(kind) }))
      .map(readParty)
      .sort(byAge);

  return {
    async add(party) {
      await putItem(table, { Item: partyItem(party), ConditionExpression: 'attribute_not_exists(pk)' });
    },
    async find(kind, id) {
      const item = await getItem(table, { Key: partyKey(kind, id), ConsistentRead: true });
      return item && readParty(item);
    },
    async list(kind, parent) {
      if (kind === 'organisation') return children(kind, root);
      if (parent !== undefined) return children(kind, parent);
      const organisations = await children('organisation', root);
      return (await Promise.all(organisations.map(({ id }) => children(kind, id)))).flat();
    },
    setQuota: (organisation, allotment) =>
      setAllotment(table, partyKey('organisation', organisation), allotment),
    revoke: (kind, id) =>
      holds(
        updateItem(table, {
          Key: partyKey(kind, id),
          UpdateExpression: 'SET #status = :revoked',
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':revoked': 'revoked' },
        }),
      ),
  };
};

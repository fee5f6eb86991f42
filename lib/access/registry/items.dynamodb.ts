import { type Quota, tierNames } from '../../contract/limits.ts';
import { defined } from '../../contract/outside.ts';
import { expr } from '../../platform/aws/expression.ts';
import { holds } from '../../platform/aws/many-items.ts';
import {
  type Item,
  itemReader,
  keyDigest,
  type Table,
  updateItem,
} from '../../platform/aws/table.ts';
import type { PartyKind } from '../people/organisations.ts';
import { operatorScope, type Principal, type Scope } from '../trust/principals.ts';
import {
  type Allotment,
  type Connection,
  type Credential,
  pausers,
  type Skip,
} from './connection.ts';
import type { ClientBinding } from './ports.ts';
import { clientClaims, type IdentityProvider } from './registry.ts';

/** The index that lists what belongs to a parent: partition `parent`, sort `pk`. */
export const childrenIndex = 'children';

export const partyPrefixes = {
  organisation: 'ORGANISATION#',
  workspace: 'WORKSPACE#',
  app: 'APP#',
} as const;
export const connectionPrefix = 'CONNECTION#';

export const partyKey = (kind: PartyKind, id: string) => ({
  pk: partyPrefixes[kind] + id,
  sk: 'PARTY',
});
export const connectionKey = (id: string) => ({ pk: connectionPrefix + id, sk: 'CONNECTION' });
export const credentialKey = (id: string) => ({ pk: connectionPrefix + id, sk: 'CREDENTIAL' });
export const scopeKey = (scope: Scope): string =>
  scope === operatorScope ? 'OPERATOR' : partyPrefixes.workspace + scope;
export const systemKey = (workspace: string, systemId: string) => ({
  pk: partyPrefixes.workspace + workspace,
  sk: `SYSTEM#${systemId}`,
});
export const appConnectionKey = (app: string, connection: string) => ({
  pk: partyPrefixes.app + app,
  sk: connectionPrefix + connection,
});

const revokedMark = '#revoked';
export const revokedIn = (workspace: string): string => workspace + revokedMark;

export const statuses = ['active', 'revoked'] as const;
const connectionStatuses = [...statuses, 'paused'] as const;

export const quotaMap = ({ perSecond, burst, perDay }: Quota) => ({
  per_second: perSecond,
  burst,
  per_day: perDay,
});

const readQuota = (value: unknown): Quota => {
  const read = itemReader(typeof value === 'object' && value !== null ? { ...value } : {});
  return {
    perSecond: read.number('per_second'),
    burst: read.number('burst'),
    perDay: read.number('per_day'),
  };
};

export const readAllotment = (item: Item): Allotment => ({
  tier: itemReader(item).oneOf('tier', tierNames),
  ...(item['quota'] !== undefined && { quota: readQuota(item['quota']) }),
});

export const skipMaps = (skips: readonly Skip[]) =>
  skips.map(({ messageId, replay, at }) =>
    defined({ message_id: messageId, replay_id: replay, skipped_at: at }),
  );

const readSkips = (value: unknown): readonly Skip[] => {
  if (!Array.isArray(value))
    throw new Error('A stored connection has no list of skipped messages.');
  return value.map((skip: Item) => {
    const read = itemReader(skip);
    return defined({
      messageId: read.text('message_id'),
      replay: read.optionalText('replay_id'),
      at: read.text('skipped_at'),
    });
  });
};

export const connectionItem = (connection: Connection): Item => ({
  ...connectionKey(connection.id),
  parent: connection.workspace,
  id: connection.id,
  kind: connection.kind,
  status: connection.status,
  organisation: connection.organisation,
  app: connection.app,
  credential_version: connection.credentialVersion,
  tier: connection.tier,
  ...(connection.quota && { quota: quotaMap(connection.quota) }),
  system_ids: connection.systemIds,
  grants: connection.grants,
  receives: connection.receives,
  sources: connection.sources,
  ...defined({
    guest_since: connection.guestSince,
    guest_types: connection.guestTypes,
    queue: connection.queue,
  }),
  created_at: connection.createdAt,
});

const isSuspended = ({ status, suspended_by: organisations }: Item): boolean =>
  status !== 'revoked' && organisations instanceof Set && organisations.size > 0;

export const readConnection = (item: Item): Connection => {
  const read = itemReader(item);
  return {
    id: read.text('id'),
    kind: read.oneOf('kind', ['producer', 'consumer']),
    status: read.oneOf('status', connectionStatuses),
    organisation: read.text('organisation'),
    workspace: read.text('parent').replace(revokedMark, ''),
    app: read.text('app'),
    credentialVersion: read.number('credential_version'),
    ...readAllotment(item),
    systemIds: read.texts('system_ids'),
    grants: read.texts('grants'),
    receives: read.texts('receives'),
    sources: read.texts('sources'),
    ...defined({
      guestSince: read.optionalText('guest_since'),
      queue: read.optionalText('queue'),
      underTest: read.optionalText('under_test'),
    }),
    ...(read.has('guest_types') && { guestTypes: read.texts('guest_types') }),
    ...(read.has('paused_by') && { pausedBy: read.oneOf('paused_by', pausers) }),
    ...(read.has('skips') && { skips: readSkips(item['skips']) }),
    ...(read.has('tested_in') && {
      testedIn: { run: read.text('tested_in'), until: read.number('tested_until') },
    }),
    createdAt: read.text('created_at'),
    ...(isSuspended(item) && { isSuspended: true }),
  };
};

export const credentialItem = (id: string, { version, current, previous }: Credential): Item => ({
  ...credentialKey(id),
  version,
  ...(current && { current_hash: current.hash, current_issued_at: current.issuedAt }),
  ...(current?.lastUsedAt && { current_used_at: current.lastUsedAt }),
  ...(previous && { previous_hash: previous.hash, previous_valid_until: previous.until }),
  ...(previous?.lastUsedAt && { previous_used_at: previous.lastUsedAt }),
});

export const readCredential = (item: Item): Credential => {
  const read = itemReader(item);
  const current = () =>
    defined({
      hash: read.text('current_hash'),
      issuedAt: read.text('current_issued_at'),
      lastUsedAt: read.optionalText('current_used_at'),
    });
  const previous = () =>
    defined({
      hash: read.text('previous_hash'),
      until: read.number('previous_valid_until'),
      lastUsedAt: read.optionalText('previous_used_at'),
    });
  return defined({
    version: read.number('version'),
    current: read.has('current_hash') ? current() : undefined,
    previous: read.has('previous_hash') ? previous() : undefined,
  });
};

export const setAllotment = (
  table: Table,
  Key: { pk: string; sk: string },
  { tier, quota }: Allotment,
): Promise<boolean> => {
  const update = updateItem(table, {
    Key,
    UpdateExpression: quota
      ? expr`SET tier = ${tier}, quota = ${quotaMap(quota)}`
      : expr`SET tier = ${tier} REMOVE quota`,
    ConditionExpression: 'attribute_exists(pk)',
  });
  return holds(update);
};

/** Before the identity providers, and the bindings of their clients, in a scope. */
export const providers = 'IDP#';
export const clients = 'IDPCLIENT#';

export const providerKey = (scope: Scope, issuer: string) => ({
  pk: scopeKey(scope),
  sk: providers + keyDigest(issuer),
});
export const clientKey = (scope: Scope, issuer: string, client: string) => ({
  pk: scopeKey(scope),
  sk: `${clients}${keyDigest(issuer)}#${keyDigest(client)}`,
});

export const principalPrefix = 'PRINCIPAL#';

export const readProvider = (item: Item): IdentityProvider => {
  const read = itemReader(item);
  return {
    scope: read.text('scope'),
    issuer: read.text('issuer'),
    jwksUri: read.text('jwks_uri'),
    audience: read.text('audience'),
    clientClaim: read.oneOf('client_claim', clientClaims),
    insecureLocal: item['insecure_local'] === true,
    createdAt: read.text('created_at'),
  };
};

export const readBinding = (item: Item): ClientBinding => {
  const read = itemReader(item);
  return {
    scope: read.text('scope'),
    issuer: read.text('issuer'),
    client: read.text('client'),
    connection: read.text('connection'),
    createdAt: read.text('created_at'),
  };
};

export const readPrincipal = (item: Item): Principal => {
  const read = itemReader(item);
  return {
    id: read.text('id'),
    scope: read.text('scope'),
    connection: read.text('connection'),
    roleArn: read.text('role_arn'),
    status: read.oneOf('status', ['pending', 'verified', 'revoked']),
    ...(read.has('challenge_hash') && {
      challenge: { hash: read.text('challenge_hash'), until: read.number('challenge_valid_until') },
    }),
    createdAt: read.text('created_at'),
    ...defined({ verifiedAt: read.optionalText('verified_at') }),
  };
};

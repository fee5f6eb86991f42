import type { Quota } from '../contract/limits.ts';
import type { Connection } from '../domain/registry/connection.ts';
import type { Credential } from '../domain/registry/credential.ts';
import type { Party } from '../domain/registry/organisation.ts';

/** A party as commands print it. */
export const partyRecord = (party: Party): object => ({
  [`${party.kind}_id`]: party.id,
  name: party.name,
  status: party.status,
  ...(party.kind === 'organisation' ? { tier: party.tier } : { organisation_id: party.organisation }),
  created_at: party.createdAt,
});

/** A quota as commands print it. */
const quotaRecord = ({ perSecond, burst, perDay }: Quota): object => ({
  requests_per_second: perSecond,
  burst,
  requests_per_day: perDay,
});

/** A connection as commands print it; the members of its kind only. */
export const connectionRecord = (connection: Connection, queueUrl: (queue: string) => string): object => ({
  connection_id: connection.id,
  kind: connection.kind,
  status: connection.status,
  workspace_id: connection.workspace,
  app_id: connection.app,
  credential_version: connection.credentialVersion,
  tier: connection.quota ? 'custom' : connection.tier,
  ...(connection.quota ? { quota: quotaRecord(connection.quota) } : {}),
  ...(connection.kind === 'producer'
    ? { system_ids: connection.systemIds, grants: connection.grants }
    : { receives: connection.receives, sources: connection.sources }),
  ...(connection.queue ? { queue_url: queueUrl(connection.queue) } : {}),
  created_at: connection.createdAt,
});

/** What an owner sees of a connection's secrets: when the old one is idle, it can go. Null: there is none, or it was never used. */
export const secretRecord = ({ current, previous }: Credential): object => ({
  secret_issued_at: current?.issuedAt ?? null,
  secret_last_used_at: current?.lastUsedAt ?? null,
  ...(previous && {
    previous_secret_until: new Date(previous.until).toISOString(),
    previous_secret_last_used_at: previous.lastUsedAt ?? null,
  }),
});

import type { Quota } from '../contract/limits.ts';
import type { Connection, Credential } from '../registry/connection.ts';
import type { Party } from '../registry/organisations.ts';
import type { IssuedConnection } from '../registry/secrets.ts';
import type { OperatorPorts } from '../wiring/operator.ts';
import type { CommandContext, Terminal } from './command.ts';

const shown = (value: unknown): string => {
  if (Array.isArray(value)) return value.join(' ') || '-';
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '-');
};

export const printRecord = (terminal: Terminal, record: object, json: boolean): void => {
  if (json) {
    terminal.out(JSON.stringify(record));
    return;
  }
  const width = Math.max(...Object.keys(record).map(name => name.length));
  for (const [name, value] of Object.entries(record)) terminal.out(`${name.padEnd(width)}  ${shown(value)}`);
};

export const printTable = (terminal: Terminal, records: readonly object[], json: boolean): void => {
  const [first] = records;
  if (json || !first) {
    terminal.out(json ? JSON.stringify(records) : '(none)');
    return;
  }
  const names = Object.keys(first);
  const rows = [names, ...records.map(record => Object.values(record).map(shown))];
  const widths = names.map((_, column) => Math.max(...rows.map(row => (row[column] ?? '').length)));
  for (const row of rows)
    terminal.out(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
};

export const partyRecord = (party: Party): object => ({
  [`${party.kind}_id`]: party.id,
  name: party.name,
  status: party.status,
  ...(party.kind === 'organisation'
    ? { type: party.type, tier: party.tier }
    : { organisation_id: party.organisation }),
  created_at: party.createdAt,
});

const quotaRecord = ({ perSecond, burst, perDay }: Quota): object => ({
  requests_per_second: perSecond,
  burst,
  requests_per_day: perDay,
});

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

/** The ages and last uses of a connection's secrets: an old one that is idle can be revoked. Null: none, or never used. */
export const secretRecord = ({ current, previous }: Credential): object => ({
  secret_issued_at: current?.issuedAt ?? null,
  secret_last_used_at: current?.lastUsedAt ?? null,
  ...(previous && {
    previous_secret_until: new Date(previous.until).toISOString(),
    previous_secret_last_used_at: previous.lastUsedAt ?? null,
  }),
});

/** A new connection or secret: the only time that the secret is shown. */
export const printIssued = (
  { terminal }: CommandContext,
  { connection, clientSecret, queueUrl }: IssuedConnection & { queueUrl: OperatorPorts['queueAdmin']['url'] },
  json: boolean,
): void => {
  const facts = connectionRecord(connection, queueUrl);
  // The id and the secret come first.
  printRecord(terminal, { connection_id: connection.id, client_secret: clientSecret, ...facts }, json);
};

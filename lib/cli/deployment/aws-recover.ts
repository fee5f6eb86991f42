import {
  type RecoveryPorts,
  type RecoveryResult,
  recoverConnections,
} from '../../access/registry/recovering.ts';
import { type KeyPorts, published, replaceLostKeys } from '../../bus/tokens/key-ring.ts';
import type { EnvironmentName } from '../../contract/environments.ts';
import { tableNames } from '../../contract/tables.ts';
import { errorMessage } from '../../local/engines/machine.ts';
import type { Env } from '../../wiring/env.ts';
import { type CommandRun, command } from '../frame/command.ts';
import { accepted, CommandRefused } from '../frame/failures.ts';
import { deployedOptions } from '../frame/options.ts';
import { servedTables } from '../frame/target.ts';
import { awsAccount } from './aws-account.ts';
import { tablePorts } from './aws-restore.ts';

const record = (result: RecoveryResult): object => {
  const { id, kind, workspace } = result.connection;
  const named = { connection_id: id, kind, workspace_id: workspace };
  if ('error' in result) return { ...named, error: errorMessage(result.error) };
  return { ...named, key: result.key, queue: result.queue ?? null };
};

/** Whether something had to be made, or could not be. */
const isNews = (result: RecoveryResult): boolean => {
  if ('error' in result || result.key === 'made') return true;
  return result.queue !== undefined && result.queue !== 'unchanged';
};

const recoverKeys = async (
  ports: KeyPorts & { isKeyHere: (keyId: string) => boolean },
): Promise<string> => {
  const result = await replaceLostKeys(ports, ports.isKeyHere);
  if (result === 'unchanged') return 'signing keys: unchanged';
  const [active] = published(accepted(result).ring);
  return `signing keys: ${active?.kid} signs from now on, clients get new tokens with their secrets`;
};

/**
 * Gives the served tables what a restore does not bring: expiry, recovery and protection.
 *
 * @returns the tables that lacked some of it
 */
const secureTables = async (env: Env, environment: EnvironmentName): Promise<readonly string[]> => {
  const served = await servedTables(environment, env);
  if (served === undefined) return [];
  const { lacks } = awsAccount(env, environment);
  const { safeguard } = tablePorts(env, async () => undefined);
  const secured: string[] = [];
  for (const name of tableNames) {
    const table = served[name];
    if ((await lacks(table)).length === 0) continue;
    await safeguard(table, name);
    secured.push(table);
  }
  return secured;
};

interface EnvironmentRecovery {
  readonly ports: RecoveryPorts & KeyPorts & { readonly isKeyHere: (keyId: string) => boolean };
  readonly notes: Pick<CommandRun['notes'], 'on'>;
  /** @returns the tables that lacked expiry, recovery or protection, and have them now */
  secureTables(): Promise<readonly string[]>;
  say(line: string): void;
}

/**
 * Makes what the registry asks for and the account and region lack.
 *
 * @returns what had to be made, one record for each connection
 * @throws CommandRefused if some of it could not be made; repeating it goes on
 */
export const recoverEnvironment = async ({
  ports,
  notes,
  secureTables,
  say,
}: EnvironmentRecovery): Promise<readonly object[]> => {
  say(await recoverKeys(ports));
  const secured = await secureTables();
  say(`tables: ${secured.length === 0 ? 'unchanged' : `secured ${secured.join(', ')}`}`);
  const records: object[] = [];
  const failed: string[] = [];
  let looked = 0;
  for await (const result of recoverConnections(ports)) {
    looked += 1;
    if (!isNews(result)) continue;
    records.push(record(result));
    const { connection } = result;
    if ('error' in result) failed.push(`${connection.id}: ${errorMessage(result.error)}`);
    else await notes.on(connection, 'connection.recover');
    say(`${connection.id} of ${connection.workspace}: ${'error' in result ? 'failed' : 'made'}`);
  }
  say(`${looked} connections: ${looked - records.length} lacked nothing.`);
  if (failed.length > 0)
    throw new CommandRefused(
      `${failed.length} of ${looked} connections could not be recovered: repeat the command, which goes on.`,
      failed,
    );
  return records;
};

/** What docs/runbook.md, "A region is lost", needs after the tables are there and deployed to. */
export const recover = command({
  usage: 'recover',
  description:
    'make what the registry asks for and this account and region lack: keys on usage plans, ' +
    'queues and their policies, the signing key',
  target: 'folder',
  options: deployedOptions,
  run: ({ ports, notes, terminal, options: { environment } }) =>
    recoverEnvironment({
      ports,
      notes,
      secureTables: () => secureTables(process.env, environment),
      say: terminal.error,
    }),
});

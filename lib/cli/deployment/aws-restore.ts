import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteFunctionConcurrencyCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
} from '@aws-sdk/client-lambda';
import {
  type EnvironmentName,
  resourceNames,
  restoredSuffix,
} from '../../contract/environments.ts';
import {
  type FunctionId,
  type JobId,
  jobIds,
  jobs,
  type PortAccess,
  reservedCopies,
  rowlessFunctions,
  servedBy,
} from '../../contract/functions.ts';
import { type RouteId, routes } from '../../contract/routes.ts';
import { isRead, tableGrantsOf } from '../../contract/table-grants.ts';
import { type TableName, tableNames, tables } from '../../contract/tables.ts';
import { clientConfig } from '../../platform/aws/clients.ts';
import { getItem, putItem, unlessError } from '../../platform/aws/table.ts';
import type { Env } from '../../wiring/env.ts';
import { command } from '../frame/command.ts';
import { CommandRefused } from '../frame/failures.ts';
import { deployedOptions, option, pointInTime } from '../frame/options.ts';
import { servedTables } from '../frame/target.ts';

const routeIds = Object.keys(routes) as readonly RouteId[];
const rowlessIds = Object.keys(rowlessFunctions) as readonly (keyof typeof rowlessFunctions)[];

/** Lines of a feed that nobody misses: without the authoriser, no route could be read. */
const mayBeLost: readonly PortAccess[] = ['identityRefusals'];

const mayWrite = (ports: readonly PortAccess[]): boolean =>
  ports
    .filter(port => !mayBeLost.includes(port))
    .flatMap(tableGrantsOf)
    .some(grant => !isRead(grant));

/** Whatever may write to a table: what is written while it is restored would be lost. */
export const stoppedForRestore: readonly (FunctionId | JobId)[] = [
  ...new Set([
    ...routeIds.filter(id => mayWrite(routes[id].ports)).map(servedBy),
    ...rowlessIds.filter(id => mayWrite(rowlessFunctions[id].ports)),
    ...jobIds.filter(id => mayWrite(jobs[id].ports)),
  ]),
];

type StoppedId = (typeof stoppedForRestore)[number];

export interface RestorePorts {
  /** Lets a function run in so many copies; undefined: in as many as it needs. */
  setCopies(name: StoppedId, copies: number | undefined): Promise<void>;
  /** @throws CommandRefused if a table cannot be made from another as it was, or exists and is not that */
  check(source: string, target: string, at: Date | undefined): Promise<void>;
  /**
   * Makes a table from another as it was, and waits for it; does nothing if it exists.
   *
   * @param at absent: the latest that can be restored
   */
  restore(source: string, target: string, at: Date | undefined): Promise<void>;
  safeguard(table: string, name: TableName): Promise<void>;
  copyRings(source: string, target: string): Promise<void>;
  say(line: string): void;
}

interface Restored {
  readonly from: Readonly<Record<TableName, string>>;
  readonly to: Readonly<Record<TableName, string>>;
}

/**
 * Makes new tables from a second of the past, while nothing writes. It can be run again after a
 * failure. Sessions are those of a few minutes ago. The signing keys are those of now: one that was
 * retired since, perhaps because it was stolen, stays retired.
 */
export const restoreTables = async (
  ports: RestorePorts,
  { from, to }: Restored,
  at: Date,
): Promise<void> => {
  const timeOf = (name: TableName) => (name === 'sessions' ? undefined : at);
  await Promise.all(tableNames.map(name => ports.check(from[name], to[name], timeOf(name))));
  try {
    ports.say(`stopping ${stoppedForRestore.length} functions: callers get 503 and retry`);
    await Promise.all(stoppedForRestore.map(name => ports.setCopies(name, 0)));
    ports.say('restoring the tables: minutes to hours, by their size');
    await Promise.all(
      tableNames.map(async name => {
        await ports.restore(from[name], to[name], timeOf(name));
        await ports.safeguard(to[name], name);
        ports.say(`${to[name]} is there`);
      }),
    );
    await ports.copyRings(from.registry, to.registry);
  } catch (error) {
    ports.say(
      `The functions are stopped. Repeat the command with --to ${at.toISOString()}: it goes ` +
        'on. Or let them run again with --resume.',
    );
    throw error;
  }
};

export const resumeFunctions = async ({
  setCopies,
}: Pick<RestorePorts, 'setCopies'>): Promise<void> => {
  await Promise.all(stoppedForRestore.map(name => setCopies(name, reservedCopies[name])));
};

/** The keys that sign tokens, and those that seal what clients hand back. */
const ringKeys = [
  { pk: 'KEYS', sk: 'RING' },
  { pk: 'SEALS', sk: 'RING' },
];
const pollMilliseconds = 20_000;

/** @throws CommandRefused if a table was not made by this restore */
const checkMade = (table: TableDescription, source: string, at: Date | undefined): void => {
  const { SourceTableArn, RestoreDateTime } = table.RestoreSummary ?? {};
  const isSource = SourceTableArn?.endsWith(`:table/${source}`) ?? false;
  // DynamoDB restores to a second.
  const isTime = !at || Math.abs(Number(RestoreDateTime) - at.getTime()) < 1000;
  if (isSource && isTime) return;
  const moment = RestoreDateTime?.toISOString();
  const restored = `was restored from ${SourceTableArn} as of ${moment}`;
  const made = SourceTableArn ? restored : 'was not restored from another';
  throw new CommandRefused(
    `The table ${table.TableName} exists and ${made}. Repeat that restore, or use another --name.`,
  );
};

/** @throws CommandRefused if a table cannot be made as it was then */
const checkWindow = async (
  client: DynamoDBClient,
  TableName: string,
  at: Date | undefined,
): Promise<void> => {
  const { ContinuousBackupsDescription } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName }),
  );
  const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } =
    ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
  if (!earliest || !latest)
    throw new CommandRefused(`The table ${TableName} cannot be restored: its recovery is off.`);
  if (at && (at < earliest || at > latest))
    throw new CommandRefused(
      `The table ${TableName} can be restored to ${earliest.toISOString()} at the earliest ` +
        `and ${latest.toISOString()} at the latest.`,
    );
};

/** The same on AWS. */
export const tablePorts = (
  env: Env,
  sleep: (milliseconds: number) => Promise<void>,
): Omit<RestorePorts, 'setCopies' | 'say'> => {
  const client = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  const tableOf = async (TableName: string): Promise<TableDescription | undefined> => {
    const described = client.send(new DescribeTableCommand({ TableName }));
    return (await unlessError(described, 'ResourceNotFoundException'))?.Table;
  };
  return {
    async check(TableName, target, at) {
      const made = await tableOf(target);
      if (made) return checkMade(made, TableName, at);
      await checkWindow(client, TableName, at);
    },
    async restore(SourceTableName, TargetTableName, at) {
      const when = at ? { RestoreDateTime: at } : { UseLatestRestorableTime: true };
      const restore = new RestoreTableToPointInTimeCommand({
        SourceTableName,
        TargetTableName,
        ...when,
      });
      let table = (await tableOf(TargetTableName)) ?? (await client.send(restore)).TableDescription;
      while (table?.TableStatus !== 'ACTIVE') {
        if (!table)
          throw new Error(`The table ${TargetTableName} is gone: its restore was given up.`);
        await sleep(pollMilliseconds);
        table = await tableOf(TargetTableName);
      }
    },
    async safeguard(TableName, name) {
      const AttributeName = tables[name].expiry;
      const enabled = new UpdateTimeToLiveCommand({
        TableName,
        TimeToLiveSpecification: { Enabled: true, AttributeName },
      });
      // AWS refuses what is enabled already: the command was run before.
      await unlessError(client.send(enabled), 'ValidationException');
      const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
      await client.send(
        new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }),
      );
      await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }));
    },
    async copyRings(source, target) {
      for (const Key of ringKeys) {
        const read = getItem({ client, name: source }, { Key, ConsistentRead: true });
        const ring = await unlessError(read, 'ResourceNotFoundException');
        if (ring) await putItem({ client, name: target }, { Item: ring });
      }
    },
  };
};

const functionPorts = (env: Env, environment: EnvironmentName): Pick<RestorePorts, 'setCopies'> => {
  const client = new LambdaClient(clientConfig(env, 'LAMBDA'));
  return {
    async setCopies(name, ReservedConcurrentExecutions) {
      const FunctionName = `sombus-${environment}-${name}`;
      if (ReservedConcurrentExecutions === undefined)
        await client.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
      else
        await client.send(
          new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions }),
        );
    },
  };
};

const restoredOf = async (
  env: Env,
  environment: EnvironmentName,
  suffix: string,
): Promise<Restored> => {
  const from = await servedTables(environment, env);
  if (!from)
    throw new CommandRefused(
      `The environment ${environment} is not deployed in this account and region.`,
    );
  const { table } = resourceNames(environment);
  const to = Object.fromEntries(
    tableNames.map(name => [name, `${table(name)}-${suffix}`]),
  ) as typeof from;
  if (to.registry === from.registry)
    throw new CommandRefused(`The functions work on the tables -${suffix} already.`);
  return { from, to };
};

/** What docs/runbook.md, "Restoring the tables", needs but for the deployments. */
export const restore = command({
  usage: 'restore',
  description:
    'stop what writes, and restore the tables under new names; or let everything run again',
  target: 'none',
  options: {
    ...deployedOptions,
    to: option('--to <time>', 'the point in time, of the last 35 days', pointInTime).conflicts(
      'resume',
    ),
    name: option('--name <suffix>', 'what the names of the new tables end with, such as 20261122'),
    resume: option<true>('--resume', 'let the stopped functions run again, after the deployment'),
  },
  async run({ terminal, options: { environment, to, name, resume } }) {
    const { env } = process;
    const functions = functionPorts(env, environment);
    if (resume) return resumeFunctions(functions);
    if (to === undefined || name === undefined || !restoredSuffix.form.test(name))
      throw new CommandRefused(
        'Name the point in time with --to, and the end of the tables’ names with --name: ' +
          `${restoredSuffix.what}.`,
      );
    const sleep = (milliseconds: number) =>
      new Promise<void>(done => setTimeout(done, milliseconds));
    const ports = { ...functions, ...tablePorts(env, sleep), say: terminal.error };
    await restoreTables(ports, await restoredOf(env, environment, name), new Date(to(Date.now())));
    terminal.out(
      `Write "restoring": "${name}" into cdk.json, deploy, and let everything run again with --resume.`,
    );
  },
});

import { Command, Option } from 'commander';
import type { EnvironmentName } from '../contract/environments.ts';
import { publishCommand, tailCommand } from '../contract/environments.ts';
import type { Tier } from '../contract/limits.ts';
import type { Connection, ConnectionKind, PermissionChange, SecretSlot } from '../registry/connection.ts';
import {
  type ConnectionRequest,
  changePermissions,
  createConnection,
  pauseConnection,
} from '../registry/connections.ts';
import type { RegistryPorts } from '../registry/ports.ts';
import { revokeConnection } from '../registry/revoking.ts';
import { type IssuedConnection, revokeSecret, rotateSecret } from '../registry/secrets.ts';
import type { OperatorPorts } from '../wiring/operator.ts';
import { applyCommand, changedFact } from './apply.ts';
import { awaitConnection } from './bus.ts';
import { accepted, type CommandContext, newNotes, Refused } from './command.ts';
import {
  type CommonOptions,
  common,
  overlap,
  type PermissionOptions,
  permissionOptions,
  tier,
} from './options.ts';
import { connectionRecord, printIssued, printRecord, printTable, secretRecord } from './print.ts';

interface SecretOptions extends CommonOptions {
  readonly issue?: true;
  readonly rotate?: true;
  readonly revoke?: SecretSlot | 'all';
  readonly overlap: number;
  readonly force?: true;
}

const revoke = async (context: CommandContext, id: string, options: SecretOptions): Promise<void> => {
  const ports = context.registry(options.data);
  const which = options.revoke ?? 'all';
  const result = accepted(await revokeSecret(ports, id, { which }));
  await newNotes(context.terminal, ports).on(result, 'secret.end', { which });
  printRecord(context.terminal, connectionRecord(result, ports.queueAdmin.url), options.json);
};

const secretCommand = (context: CommandContext): Command =>
  common(new Command('secret').argument('<id>'))
    .description('issue a new secret (shown once) or revoke one; tokens issued earlier stop working')
    .addOption(
      new Option('--issue', 'issue a new secret; every old one stops working immediately').conflicts([
        'rotate',
        'revoke',
      ]),
    )
    .addOption(
      new Option('--rotate', 'issue a new secret; the old one keeps working during the overlap').conflicts(
        'revoke',
      ),
    )
    .addOption(
      new Option('--revoke <which>', 'revoke a secret immediately, without issuing a new one').choices([
        'current',
        'previous',
        'all',
      ]),
    )
    .addOption(
      new Option('--overlap <time>', 'how long the old secret keeps working: 0s to 30d')
        .argParser(overlap)
        .default(overlap('24h'), '24h'),
    )
    .option('--force', 'rotate even during the overlap of an earlier rotation, which ends that at once')
    .action(async (id: string, options: SecretOptions, command: Command) => {
      if (options.revoke) return revoke(context, id, options);
      if (!options.issue && !options.rotate)
        command.error('error: one of --issue, --rotate and --revoke is required');
      const ports = context.registry(options.data);
      // --issue ends every earlier secret by its own words.
      const rotation = options.rotate
        ? { overlapSeconds: options.overlap, force: options.force ?? false }
        : { overlapSeconds: 0, force: true };
      const issued = accepted(await rotateSecret(ports, id, rotation));
      printIssued(context, { ...issued, queueUrl: ports.queueAdmin.url }, options.json);
      await newNotes(context.terminal, ports).on(issued.connection, 'secret.rotate', {
        overlap_seconds: `${rotation.overlapSeconds}`,
      });
    });

interface PermitOptions extends CommonOptions, PermissionOptions {
  readonly everySource?: true;
}

const given = <Name extends keyof PermissionChange>(name: Name, list: readonly string[]) =>
  list.length > 0 ? { [name]: list } : {};

const changeOf = ({ systemId, grant, receive, source, everySource }: PermitOptions): PermissionChange => ({
  ...given('systemIds', systemId),
  ...given('grants', grant),
  ...given('receives', receive),
  ...given('sources', source),
  ...(everySource ? { sources: [] } : {}),
});

const permitCommand = (context: CommandContext): Command =>
  permissionOptions(common(new Command('permit').argument('<id>')))
    .description('change what a connection may send or receive; options you omit stay unchanged')
    .addOption(new Option('--every-source', 'consumer: receives from every system').conflicts('source'))
    .action(async (id: string, options: PermitOptions, command: Command) => {
      const change = changeOf(options);
      if (Object.keys(change).length === 0)
        command.error(
          'error: name what it may send (--system-id, --grant) or receive (--receive, --source, --every-source)',
        );
      const ports = context.registry(options.data);
      const result = accepted(
        await changePermissions(ports, id, { ...change, force: options.force ?? false }),
      );
      await newNotes(context.terminal, ports).on(result, 'connection.permit', changedFact(change));
      printRecord(context.terminal, connectionRecord(result, ports.queueAdmin.url), options.json);
    });

interface CreateOptions extends CommonOptions, PermissionOptions {
  readonly kind: ConnectionKind;
  readonly workspace: string;
  readonly app: string;
  readonly tier?: Tier;
  readonly environment?: EnvironmentName;
}

const everything = ['*'];

const found = async ({ connections }: RegistryPorts, id: string) => {
  const entry = await connections.find(id);
  if (!entry) throw new Refused(`There is no connection ${id}.`);
  return entry;
};

const patterns = (given: readonly string[], belongs: boolean): readonly string[] =>
  given.length === 0 && belongs ? everything : given;

const requestOf = (options: CreateOptions): ConnectionRequest => ({
  kind: options.kind,
  workspace: options.workspace,
  app: options.app,
  systemIds: options.systemId,
  grants: patterns(options.grant, options.kind === 'producer'),
  receives: patterns(options.receive, options.kind === 'consumer'),
  sources: options.source,
  ...(options.tier ? { tier: options.tier } : {}),
});

const defaults = { systemId: 'the app name', grant: '*', receive: '*', source: 'all' } as const;

/** On AWS, the gateway takes some seconds to know a new connection. */
const sayWhenUsable = async (
  { terminal }: CommandContext,
  { busIssuer, clock }: OperatorPorts,
  issued: IssuedConnection,
): Promise<void> => {
  const isUsable = await awaitConnection(issued, busIssuer.replace(/\/oauth$/, ''), clock);
  terminal.error(
    isUsable
      ? 'note: the bus accepts this connection now.'
      : 'note: the bus still refuses this connection: API Gateway may need another minute to know it.',
  );
};

/** How to use a new connection: without its id, commands use those of the demo workspace. */
const usageNote = ({ connection }: IssuedConnection): string =>
  `note: to use it, set SOMBUS_CLIENT_SECRET to its secret, then: ${connection.kind === 'consumer' ? tailCommand(connection.id) : publishCommand(connection.id, connection)}`;

const createCommand = (context: CommandContext): Command => {
  const command = common(new Command('create'))
    .description('create a connection; its secret is shown once')
    .addOption(
      new Option('--kind <kind>', 'kind of connection')
        .choices(['producer', 'consumer'])
        .makeOptionMandatory(),
    )
    .requiredOption('--workspace <id>', 'the workspace it belongs to')
    .requiredOption('--app <name>', 'name or id of its app; a new name creates the app');
  return permissionOptions(command, defaults)
    .option('--tier <tier>', "quota (default: the organisation's)", tier)
    .action(async (options: CreateOptions) => {
      const ports = context.registry(options.data);
      const issued = accepted(await createConnection(ports, requestOf(options), options));
      // The secret first: it is shown once, whatever comes after.
      printIssued(context, { ...issued, queueUrl: ports.queueAdmin.url }, options.json);
      const { kind } = options;
      await newNotes(context.terminal, ports).on(issued.connection, 'connection.make', { kind });
      if (!options.json && !options.environment) context.terminal.error(usageNote(issued));
      if (options.environment) await sayWhenUsable(context, ports, issued);
    });
};

const namesIn = async ({ directory }: RegistryPorts): Promise<(id: string) => string> => {
  const parties = await Promise.all([directory.list('workspace'), directory.list('app')]);
  const names = new Map(parties.flat().map(({ id, name }) => [id, name]));
  return id => names.get(id) ?? id;
};

const listCommand = ({ terminal, registry }: CommandContext): Command =>
  common(new Command('list').description('list connections'))
    .option('--workspace <id>', 'filter by workspace')
    .action(async ({ workspace, data, json }: CommonOptions & { workspace?: string }) => {
      const ports = registry(data);
      const workspaces =
        workspace === undefined ? (await ports.directory.list('workspace')).map(({ id }) => id) : [workspace];
      const connections = (await Promise.all(workspaces.map(id => ports.connections.ofWorkspace(id)))).flat();
      const nameOf = await namesIn(ports);
      const summary = ({ id, kind, status, workspace, app, tier, createdAt }: Connection) => ({
        connection_id: id,
        kind,
        status,
        app: nameOf(app),
        workspace: nameOf(workspace),
        workspace_id: workspace,
        tier,
        created_at: createdAt,
      });
      const whole = (entry: Connection) => ({
        ...connectionRecord(entry, ports.queueAdmin.url),
        app_name: nameOf(entry.app),
        workspace_name: nameOf(entry.workspace),
      });
      printTable(terminal, connections.map<object>(json ? whole : summary), json);
    });

const showCommand = ({ terminal, registry }: CommandContext): Command =>
  common(new Command('show').argument('<id>').description('show one connection')).action(
    async (id: string, { data, json }: CommonOptions) => {
      const ports = registry(data);
      const { connection, credential } = await found(ports, id);
      const record = { ...connectionRecord(connection, ports.queueAdmin.url), ...secretRecord(credential) };
      printRecord(terminal, record, json);
    },
  );

const revokeCommand = ({ terminal, registry }: CommandContext): Command =>
  common(new Command('revoke').argument('<id>').description('revoke a connection permanently')).action(
    async (id: string, { data, json }: CommonOptions) => {
      const ports = registry(data);
      await revokeConnection(ports, id);
      const { connection } = await found(ports, id);
      await newNotes(terminal, ports).on(connection, 'connection.revoke');
      printRecord(terminal, connectionRecord(connection, ports.queueAdmin.url), json);
    },
  );

const pauseDescriptions = {
  pause: 'refuse messages from a producer, or send a consumer no new ones; it can still empty its queue',
  resume: 'end a pause; use a replay to send a consumer what it missed',
} as const;

const pauseCommand = (
  { terminal, registry }: CommandContext,
  change: keyof typeof pauseDescriptions,
): Command =>
  common(new Command(change).argument('<id>'))
    .description(pauseDescriptions[change])
    .action(async (id: string, { data, json }: CommonOptions) => {
      const ports = registry(data);
      const result = accepted(
        await pauseConnection(ports, id, { paused: change === 'pause', by: 'operator' }),
      );
      await newNotes(terminal, ports).on(result, `connection.${change}`);
      printRecord(terminal, connectionRecord(result, ports.queueAdmin.url), json);
    });

export const connectionCommand = (context: CommandContext): Command => {
  const command = new Command('connection')
    .alias('connections')
    .description('connections: the producers and consumers of a workspace');
  for (const make of [
    createCommand,
    applyCommand,
    listCommand,
    showCommand,
    revokeCommand,
    permitCommand,
    secretCommand,
  ])
    command.addCommand(make(context));
  for (const change of ['pause', 'resume'] as const) command.addCommand(pauseCommand(context, change));
  return command;
};

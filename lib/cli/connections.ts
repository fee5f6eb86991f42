import { Command, Option } from 'commander';
import type { Tier } from '../contract/limits.ts';
import type { Connection, ConnectionKind, PermissionChange } from '../registry/connection.ts';
import {
  type ConnectionRequest,
  changePermissions,
  createConnection,
  pauseConnection,
  revokeConnection,
  revokeSecret,
  rotateSecret,
} from '../registry/connections.ts';
import type { SecretSlot } from '../registry/credentials.ts';
import type { RegistryPorts } from '../registry/operator.ts';
import { type CommandContext, type CommonOptions, common, Refused } from './command.ts';
import { overlap, type PermissionOptions, permissionOptions, tier } from './options.ts';
import { connectionRecord, printIssued, printRecord, printTable, secretRecord } from './print.ts';

interface SecretOptions extends CommonOptions {
  readonly issue?: true;
  readonly rotate?: true;
  readonly revoke?: SecretSlot | 'all';
  readonly overlap: number;
}

const revoke = async (context: CommandContext, id: string, options: SecretOptions): Promise<void> => {
  const ports = context.registry(options.data);
  const result = await revokeSecret(ports, id, options.revoke ?? 'all');
  if (result.kind === 'declined') throw new Refused(result.reason);
  printRecord(context.terminal, connectionRecord(result, ports.queueAdmin.url), options.json);
};

/** `sombus connection secret`: a new secret, or the end of one. */
const secretCommand = (context: CommandContext): Command =>
  common(new Command('secret').argument('<id>'))
    .description('give a connection a new secret, shown once, or end one; older tokens stop working')
    .addOption(new Option('--issue', 'the old secret stops at once').conflicts(['rotate', 'revoke']))
    .addOption(new Option('--rotate', 'the old secret works on for the overlap').conflicts('revoke'))
    .addOption(
      new Option('--revoke <which>', 'end a secret at once, without a new one').choices([
        'current',
        'previous',
        'all',
      ]),
    )
    .addOption(
      new Option('--overlap <time>', 'how long the old secret works on: 0s to 30d')
        .argParser(overlap)
        .default(overlap('24h'), '24h'),
    )
    .action(async (id: string, options: SecretOptions, command: Command) => {
      if (options.revoke) return revoke(context, id, options);
      if (!options.issue && !options.rotate)
        command.error('error: one of --issue, --rotate and --revoke is needed');
      const ports = context.registry(options.data);
      const result = await rotateSecret(ports, id, options.rotate ? options.overlap : 0);
      printIssued(context, ports, options.json)(result);
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

/** `sombus connection permit`: other permissions for a connection, with the credentials it has. */
const permitCommand = (context: CommandContext): Command =>
  permissionOptions(common(new Command('permit').argument('<id>')))
    .description('replace what a connection may send or receives; what is left out stays as it is')
    .addOption(new Option('--every-source', 'consumer: messages of every system').conflicts('source'))
    .action(async (id: string, options: PermitOptions, command: Command) => {
      const change = changeOf(options);
      if (Object.keys(change).length === 0)
        command.error(
          'error: name what it may send (--system-id, --grant) or receives (--receive, --source, --every-source)',
        );
      const ports = context.registry(options.data);
      const result = await changePermissions(ports, id, change);
      if (result.kind === 'declined') throw new Refused(result.reason);
      printRecord(context.terminal, connectionRecord(result, ports.queueAdmin.url), options.json);
    });

interface CreateOptions extends CommonOptions, PermissionOptions {
  readonly kind: ConnectionKind;
  readonly workspace: string;
  readonly app: string;
  readonly tier?: Tier;
}

const everything = ['*'];

const found = async ({ connections }: RegistryPorts, id: string) => {
  const entry = await connections.find(id);
  if (!entry) throw new Refused(`There is no connection ${id}.`);
  return entry;
};

/** Patterns left out mean everything, for the kind that has them. */
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

/** What a new connection may do of which nothing is said. */
const leftOut = { systemId: 'the app name', grant: '*', receive: '*', source: 'all' } as const;

const createCommand = (context: CommandContext): Command => {
  const command = common(new Command('create'))
    .description('make a connection; its secret is shown once')
    .addOption(
      new Option('--kind <kind>', 'what it does').choices(['producer', 'consumer']).makeOptionMandatory(),
    )
    .requiredOption('--workspace <id>', 'the workspace it takes part in')
    .requiredOption('--app <name>', "the app's name or id; an app of a new name is made");
  return permissionOptions(command, leftOut)
    .option('--tier <tier>', "quota (default: its organisation's)", tier)
    .action(async (options: CreateOptions) => {
      const ports = context.registry(options.data);
      printIssued(context, ports, options.json)(await createConnection(ports, requestOf(options)));
    });
};

const listCommand = ({ terminal, registry }: CommandContext): Command =>
  common(new Command('list'))
    .option('--workspace <id>', 'only those of one workspace')
    .action(async ({ workspace, data, json }: CommonOptions & { workspace?: string }) => {
      const ports = registry(data);
      const workspaces =
        workspace === undefined ? (await ports.directory.list('workspace')).map(({ id }) => id) : [workspace];
      const connections = (await Promise.all(workspaces.map(id => ports.connections.ofWorkspace(id)))).flat();
      const summary = ({ id, kind, status, workspace: workspace_id, app, tier, createdAt }: Connection) => ({
        connection_id: id,
        kind,
        status,
        workspace_id,
        app_id: app,
        tier,
        created_at: createdAt,
      });
      const url = ports.queueAdmin.url;
      printTable(terminal, connections.map(json ? entry => connectionRecord(entry, url) : summary), json);
    });

const showCommand = ({ terminal, registry }: CommandContext): Command =>
  common(new Command('show').argument('<id>')).action(async (id: string, { data, json }: CommonOptions) => {
    const ports = registry(data);
    const { connection, credential } = await found(ports, id);
    const record = { ...connectionRecord(connection, ports.queueAdmin.url), ...secretRecord(credential) };
    printRecord(terminal, record, json);
  });

const revokeCommand = ({ terminal, registry }: CommandContext): Command =>
  common(new Command('revoke').argument('<id>')).action(async (id: string, { data, json }: CommonOptions) => {
    const ports = registry(data);
    await revokeConnection(ports, id);
    const { connection } = await found(ports, id);
    printRecord(terminal, connectionRecord(connection, ports.queueAdmin.url), json);
  });

const words = {
  pause: 'a producer is refused, a consumer gets nothing new; what its queue has it can still pull',
  resume: 'end a pause; what a consumer missed, a replay can send',
} as const;

const pauseCommand = ({ terminal, registry }: CommandContext, change: keyof typeof words): Command =>
  common(new Command(change).argument('<id>'))
    .description(words[change])
    .action(async (id: string, { data, json }: CommonOptions) => {
      const ports = registry(data);
      const result = await pauseConnection(ports, id, change === 'pause');
      if (result.kind === 'declined') throw new Refused(result.reason);
      printRecord(terminal, connectionRecord(result, ports.queueAdmin.url), json);
    });

/** `sombus connection create|list|show|permit|pause|resume|revoke|secret`. */
export const connectionCommand = (context: CommandContext): Command => {
  const command = new Command('connection').description('connections: one app in one workspace');
  for (const make of [createCommand, listCommand, showCommand, revokeCommand, permitCommand, secretCommand])
    command.addCommand(make(context));
  for (const change of ['pause', 'resume'] as const) command.addCommand(pauseCommand(context, change));
  return command;
};

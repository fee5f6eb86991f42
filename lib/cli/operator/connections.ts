import type { ChangeName } from '../../access/people/noting.ts';
import {
  type Connection,
  type Credential,
  connectionRecord,
  type PermissionChange,
  shownStatus,
} from '../../access/registry/connection.ts';
import {
  type ConnectionRequest,
  changedFact,
  changePermissions,
  createConnection,
  pauseConnection,
} from '../../access/registry/connections.ts';
import type { Declined } from '../../access/registry/declined.ts';
import { revokeConnection } from '../../access/registry/revoking.ts';
import {
  type IssuedConnection,
  revokeSecret,
  rotateSecret,
} from '../../access/registry/secrets.ts';
import { publishCommandLine, tailCommandLine } from '../../contract/environments.ts';
import { iso } from '../../contract/outside.ts';
import type { OperatorPorts } from '../../wiring/operator.ts';
import { awaitConnection } from '../frame/bus.ts';
import { type CommandGroup, type CommandRun, type CommandSpec, command } from '../frame/command.ts';
import { accepted, checkConfirmed, found } from '../frame/failures.ts';
import {
  confirmOption,
  type OptionsOf,
  option,
  overlap,
  repeatable,
  required,
  tierOption,
  withDefault,
} from '../frame/options.ts';
import { apply } from './apply.ts';

const revokingMeans = {
  consumer: 'Its queue would be deleted, with the messages in it.',
  producer: 'Its secrets and tokens would stop working.',
} as const;

/** A connection as commands print it: without the lists that its kind does not have. */
export const printedConnection = (
  connection: Connection,
  queueUrl: (queue: string) => string,
): object => {
  const { system_ids, grants, receives, sources, ...record } = connectionRecord(connection);
  const lists = connection.kind === 'producer' ? { system_ids, grants } : { receives, sources };
  const { workspace, credentialVersion, queue } = connection;
  return {
    ...record,
    ...lists,
    workspace_id: workspace,
    credential_version: credentialVersion,
    ...(queue !== undefined && { queue_url: queueUrl(queue) }),
  };
};

/**
 * The ages and last uses of a connection's secrets: an old one that is idle can be revoked. Null:
 * none, or never used.
 */
const secretRecord = ({ current, previous }: Credential): object => ({
  secret_issued_at: current?.issuedAt ?? null,
  secret_last_used_at: current?.lastUsedAt ?? null,
  ...(previous && {
    previous_secret_until: iso(previous.until),
    previous_secret_last_used_at: previous.lastUsedAt ?? null,
  }),
});

/**
 * Notes a change of a connection.
 *
 * @returns its record
 * @throws CommandRefused when the registry declined
 */
export const notedRecord = async (
  { ports, notes }: CommandRun,
  result: Connection | Declined,
  [what, facts = {}]: readonly [what: ChangeName, facts?: Readonly<Record<string, string>>],
): Promise<object> => {
  const connection = accepted(result);
  await notes.on(connection, what, facts);
  return printedConnection(connection, ports.queueAdmin.url);
};

/**
 * A new connection or secret: the only time that the secret is shown. The id and the secret come
 * first.
 */
const printIssued = (
  { ports, printOnce }: CommandRun,
  { connection, clientSecret }: IssuedConnection,
): Promise<void> =>
  printOnce(
    {
      connection_id: connection.id,
      client_secret: clientSecret,
      ...printedConnection(connection, ports.queueAdmin.url),
    },
    `Issue another secret with: sombus connection secret ${connection.id} --issue`,
  );

const secret = command({
  usage: 'secret <id>',
  description: 'issue a new secret (shown once) or revoke one; tokens issued earlier stop working',
  options: {
    issue: option<true>(
      '--issue',
      'issue a new secret; every old one stops working immediately',
    ).conflicts(['rotate', 'revoke']),
    rotate: option<true>(
      '--rotate',
      'issue a new secret; the old one keeps working during the overlap',
    ).conflicts('revoke'),
    revoke: option('--revoke <which>', 'revoke a secret immediately, without issuing a new one', [
      'current',
      'previous',
      'all',
    ]),
    overlap: withDefault(
      option('--overlap <time>', 'how long the old secret keeps working: 0s to 30d', overlap),
      overlap('24h'),
      '24h',
    ),
    force: option<true>(
      '--force',
      'rotate even during the overlap of an earlier rotation, which ends that at once',
    ),
  },
  async run(call, id) {
    const { issue, rotate, revoke: which, overlap: overlapSeconds, force = false } = call.options;
    if (which)
      return notedRecord(call, await revokeSecret(call.ports, id, { which }), [
        'secret.end',
        { which },
      ]);
    if (!issue && !rotate) return call.misused('one of --issue, --rotate and --revoke is required');
    // --issue ends every earlier secret by its own words.
    const rotation = rotate ? { overlapSeconds, force } : { overlapSeconds: 0, force: true };
    const issued = accepted(await rotateSecret(call.ports, id, rotation));
    await printIssued(call, issued);
    await call.notes.on(issued.connection, 'secret.rotate', {
      overlap_seconds: `${rotation.overlapSeconds}`,
    });
  },
});

/** @param isNew says what an option means if it is omitted */
const permissionOptions = (isNew: boolean) => {
  const more = (fallback: string) => `(repeatable${isNew ? `; default: ${fallback}` : ''})`;
  return {
    systemId: repeatable(
      '--system-id <id>',
      `producer: may send as this system ${more('the app name')}`,
    ),
    grant: repeatable('--grant <type>', `producer: may send this type, family.* or * ${more('*')}`),
    receive: repeatable(
      '--receive <type>',
      `consumer: receives this type, family.* or * ${more('*')}`,
    ),
    source: repeatable(
      '--source <system_id>',
      `consumer: receives only from this system ${more('all')}`,
    ),
    force: option<true>(
      '--force',
      'allow types that are unknown to SOM 1.0 and to the skill library',
    ),
  };
};

type PermissionOptions = OptionsOf<ReturnType<typeof permissionOptions>>;

const given = <Name extends keyof PermissionChange>(name: Name, list: readonly string[]) => {
  if (list.length > 0) return { [name]: list };
  return {};
};

const changeOf = ({
  systemId,
  grant,
  receive,
  source,
  everySource,
}: PermissionOptions & { everySource?: true }): PermissionChange => ({
  ...given('systemIds', systemId),
  ...given('grants', grant),
  ...given('receives', receive),
  ...given('sources', source),
  ...(everySource && { sources: [] }),
});

const permit = command({
  usage: 'permit <id>',
  description: 'change what a connection may send or receive; options you omit stay unchanged',
  options: {
    ...permissionOptions(false),
    everySource: option<true>('--every-source', 'consumer: receives from every system').conflicts(
      'source',
    ),
  },
  async run(call, id) {
    const change = changeOf(call.options);
    if (Object.keys(change).length === 0)
      return call.misused(
        'name what it may send (--system-id, --grant) or receive (--receive, --source, --every-source)',
      );
    const { force = false } = call.options;
    const result = await changePermissions(call.ports, id, { ...change, force });
    return notedRecord(call, result, ['connection.permit', changedFact(change)]);
  },
});

const createOptions = {
  kind: required('--kind <kind>', 'kind of connection', ['producer', 'consumer']),
  workspace: required('--workspace <id>', 'the workspace it belongs to'),
  app: required('--app <name>', 'name or id of its app; a new name creates the app'),
  ...permissionOptions(true),
  tier: tierOption("quota (default: the organisation's)"),
};

const everything = ['*'];

const patterns = (given: readonly string[], belongs: boolean): readonly string[] =>
  given.length === 0 && belongs ? everything : given;

const requestOf = (options: OptionsOf<typeof createOptions>): ConnectionRequest => ({
  kind: options.kind,
  workspace: options.workspace,
  app: options.app,
  systemIds: options.systemId,
  grants: patterns(options.grant, options.kind === 'producer'),
  receives: patterns(options.receive, options.kind === 'consumer'),
  sources: options.source,
  ...(options.tier && { tier: options.tier }),
});

/** On AWS, the gateway takes some seconds to know a new connection. */
const sayWhenUsable = async (
  { terminal, ports }: CommandRun,
  issued: IssuedConnection,
): Promise<void> => {
  if (await awaitConnection(ports, issued)) {
    terminal.error('note: the bus accepts this connection now.');
    return;
  }
  terminal.error(
    'note: the bus still refuses this connection: API Gateway may need another minute to know it.',
  );
};

/** How to use a new connection: without its id, commands use those of the demo workspace. */
const usageNote = ({ connection }: IssuedConnection): string => {
  const { kind, id } = connection;
  const usage = kind === 'consumer' ? tailCommandLine(id) : publishCommandLine(id, connection);
  return `note: to use it, set SOMBUS_CLIENT_SECRET to its secret, then: ${usage}`;
};

const create = command({
  usage: 'create',
  description: 'create a connection; its secret is shown once',
  options: createOptions,
  async run(call) {
    const { options, terminal, notes } = call;
    const issued = accepted(await createConnection(call.ports, requestOf(options), options));
    // The secret first: it is shown once, whatever comes after.
    await printIssued(call, issued);
    await notes.on(issued.connection, 'connection.make', { kind: options.kind });
    if (options.environment) await sayWhenUsable(call, issued);
    else if (!options.json) terminal.error(usageNote(issued));
  },
});

const namesIn = async ({ directory }: OperatorPorts): Promise<(id: string) => string> => {
  const parties = await Promise.all([directory.list('workspace'), directory.list('app')]);
  const names = new Map(parties.flat().map(({ id, name }) => [id, name]));
  return id => names.get(id) ?? id;
};

const workspaceIds = async ({ directory }: OperatorPorts): Promise<readonly string[]> => {
  const workspaces = await directory.list('workspace');
  return workspaces.map(({ id }) => id);
};

const list = command({
  usage: 'list',
  description: 'list connections',
  options: { workspace: option('--workspace <id>', 'filter by workspace') },
  async run({ ports, options: { workspace, json } }) {
    const ids = workspace === undefined ? await workspaceIds(ports) : [workspace];
    const lists = await Promise.all(ids.map(id => ports.connections.ofWorkspace(id)));
    const nameOf = await namesIn(ports);
    const summary = (connection: Connection) => ({
      connection_id: connection.id,
      kind: connection.kind,
      status: shownStatus(connection),
      app: nameOf(connection.app),
      workspace: nameOf(connection.workspace),
      workspace_id: connection.workspace,
      tier: connection.tier,
      created_at: connection.createdAt,
    });
    const whole = (entry: Connection) => ({
      ...printedConnection(entry, ports.queueAdmin.url),
      app_name: nameOf(entry.app),
      workspace_name: nameOf(entry.workspace),
    });
    return lists.flat().map<object>(json ? whole : summary);
  },
});

const pause = (verb: 'pause' | 'resume', description: string): CommandSpec => ({
  usage: `${verb} <id>`,
  description,
  async run(call, id) {
    const result = await pauseConnection(call.ports, id, {
      paused: verb === 'pause',
      by: 'operator',
    });
    return notedRecord(call, result, [`connection.${verb}`]);
  },
});

export const connectionCommand: CommandGroup = {
  name: 'connection',
  alias: 'connections',
  description: 'connections: the producers and consumers of a workspace',
  commands: [
    create,
    apply,
    list,
    {
      usage: 'show <id>',
      description: 'show one connection',
      async run({ ports }, id) {
        const { connection, credential } = found(
          await ports.connections.find(id),
          'connection',
          id,
        );
        return {
          ...printedConnection(connection, ports.queueAdmin.url),
          ...secretRecord(credential),
        };
      },
    },
    command({
      usage: 'revoke <id>',
      description: 'revoke a connection permanently; the queue of a consumer is deleted',
      options: { confirm: confirmOption },
      async run(call, id) {
        const find = async () =>
          found(await call.ports.connections.find(id), 'connection', id).connection;
        const { kind } = await find();
        checkConfirmed(call.options, id, {
          would: `The ${kind} ${id} would be revoked for good.`,
          means: revokingMeans[kind],
        });
        await revokeConnection(call.ports, id);
        return notedRecord(call, await find(), ['connection.revoke']);
      },
    }),
    permit,
    secret,
    pause(
      'pause',
      'refuse messages from a producer, or send a consumer no new ones; it can still empty its queue',
    ),
    pause('resume', 'end a pause; use a replay to send a consumer what it missed'),
  ],
};

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { ChangeName } from '../../access/people/noting.ts';
import {
  type Connection,
  isClientSecret,
  isRegistered,
  type PermissionChange,
} from '../../access/registry/connection.ts';
import { readConnectionSet, type WantedConnection } from '../../access/registry/connection-set.ts';
import {
  changedFact,
  changePermissions,
  createConnection,
  type ForceOption,
} from '../../access/registry/connections.ts';
import { type Declined, isDeclined } from '../../access/registry/declined.ts';
import { rotateSecret } from '../../access/registry/secrets.ts';
import { errorMessage } from '../../local/engines/machine.ts';
import { readSeed } from '../../local/seed.ts';
import { writeDurably } from '../../local/start-refusal.ts';
import { utf8Text } from '../../platform/json/value.ts';
import type { OperatorPorts } from '../../wiring/operator.ts';
import { command, type Notes } from '../frame/command.ts';
import { accepted, CommandRefused } from '../frame/failures.ts';
import { flag, option, withDefault } from '../frame/options.ts';
import { busVariables, shellLines } from '../frame/shell.ts';
import { inputBytes } from '../frame/terminal.ts';

/** A connection as it is now; `secret` if this machine has it. */
interface Applied {
  readonly wanted: WantedConnection;
  readonly connection: Connection;
  readonly change: 'created' | 'updated' | 'unchanged';
  readonly secret?: string;
  readonly noted: readonly (readonly [what: ChangeName, facts: Readonly<Record<string, string>>])[];
}

const sorted = (names: readonly string[]): string => [...names].sort().join('\n');

const changeOf = (wanted: WantedConnection, connection: Connection): PermissionChange => {
  const changed = wanted.named.filter(name => sorted(wanted[name]) !== sorted(connection[name]));
  return Object.fromEntries(changed.map(name => [name, wanted[name]]));
};

const existing = async (
  { directory, connections }: OperatorPorts,
  workspace: string,
  wanted: readonly WantedConnection[],
): Promise<readonly (Connection | undefined)[]> => {
  const where = await directory.find('workspace', workspace);
  if (where?.kind !== 'workspace') throw new CommandRefused(`There is no workspace ${workspace}.`);
  const apps = await directory.list('app', where.organisation);
  const fittingOf = async ({ app, kind }: WantedConnection): Promise<Connection | undefined> => {
    const known = apps.find(({ name, status }) => name === app && status === 'active');
    const all = known ? await connections.ofApp(known.id) : [];
    const fitting = all.filter(
      one => one.workspace === workspace && one.kind === kind && isRegistered(one),
    );
    if (fitting.length > 1)
      throw new CommandRefused(
        `The app ${app} has ${fitting.length} ${kind}s in this workspace, so it is not clear ` +
          'which one is meant: revoke the others.',
        fitting.map(({ id }) => id),
      );
    return fitting[0];
  };
  return Promise.all(wanted.map(fittingOf));
};

/** @throws CommandRefused with the entry of the file that was declined */
const acceptedFor = <Result>(
  { name, kind }: WantedConnection,
  result: Result | Declined,
): Result => {
  if (!isDeclined(result)) return result;
  return accepted<Result>({ ...result, reason: `${name}.${kind}: ${result.reason}` });
};

const applyOne = async (
  ports: OperatorPorts,
  workspace: string,
  { wanted, found }: { wanted: WantedConnection; found: Connection | undefined },
  options: ForceOption,
): Promise<Applied> => {
  if (!found) {
    const { name: _, prefix: __, named: ___, ...request } = wanted;
    const made = await createConnection(ports, { ...request, workspace }, options);
    const { connection, clientSecret } = acceptedFor(wanted, made);
    const noted = [['connection.make', { kind: wanted.kind }]] as const;
    return { wanted, connection, change: 'created', secret: clientSecret, noted };
  }
  const change = changeOf(wanted, found);
  if (Object.keys(change).length === 0)
    return { wanted, connection: found, change: 'unchanged', noted: [] };
  const changed = await changePermissions(ports, found.id, { ...change, ...options });
  const connection = acceptedFor(wanted, changed);
  return {
    wanted,
    connection,
    change: 'updated',
    noted: [['connection.permit', changedFact(change)]],
  };
};

export const defaultOut = '.env.sombus';

const firstLine =
  '# Secrets of connections, written by "sombus connections apply". To load it: set -a; . ./FILE; set +a';

const textOf = (variables: Readonly<Record<string, string>>): string =>
  [firstLine, ...shellLines(variables), ''].join('\n');

const earlierVariables = (path: string): ReadonlyMap<string, string> => {
  if (!existsSync(path)) return new Map();
  const [first, ...lines] = readFileSync(path, 'utf8').split('\n');
  if (first !== firstLine)
    throw new CommandRefused(
      `The file ${path} was not written by this command: name another one with --out.`,
    );
  return new Map(
    lines.flatMap(line => {
      const [, name, value] = /^(\w+)='((?:[^']|'\\'')*)'$/.exec(line) ?? [];
      if (name === undefined || value === undefined) return [];
      return [[name, value.replaceAll("'\\''", "'")] as const];
    }),
  );
};

/** What the variables of a connection begin with. */
const nameOf = ({ prefix, kind }: WantedConnection): string => `${prefix}_${kind.toUpperCase()}`;

/**
 * What an earlier run wrote stays: another file's connections, and those that this run has not come
 * to yet.
 */
const merged = (
  before: ReadonlyMap<string, string>,
  bus: Readonly<Record<string, string>>,
  applied: readonly Applied[],
): Readonly<Record<string, string>> => {
  const variables = new Map([...before, ...Object.entries(bus)]);
  for (const { wanted, connection, secret } of applied) {
    const name = nameOf(wanted);
    const [systemId] = connection.systemIds;
    if (systemId !== undefined) variables.set(`${wanted.prefix}_SYSTEM_ID`, systemId);
    variables.set(`${name}_ID`, connection.id);
    if (secret === undefined) variables.delete(`${name}_SECRET`);
    else variables.set(`${name}_SECRET`, secret);
  }
  return Object.fromEntries(variables);
};

/** The secret that an earlier run wrote for the same connection. */
const earlierSecret = (
  before: ReadonlyMap<string, string>,
  { wanted, connection }: Applied,
): string | undefined => {
  const secret = before.get(`${nameOf(wanted)}_SECRET`) ?? '';
  if (before.get(`${nameOf(wanted)}_ID`) === connection.id && isClientSecret(secret)) return secret;
  return undefined;
};

/** @throws CommandRefused if the file is for something else, whose only copy it may be */
const checkFile = async (
  { connections }: OperatorPorts,
  { out, workspace, wanted }: SetToApply,
  {
    written,
    found,
  }: {
    written: ReadonlyMap<string, string>;
    found: readonly (Connection | undefined)[];
  },
): Promise<void> => {
  const other = written.get('SOMBUS_WORKSPACE') ?? workspace;
  if (other !== workspace)
    throw new CommandRefused(
      `The file ${out} has the secrets of the workspace ${other}: name another one with --out.`,
    );
  for (const [index, one] of wanted.entries()) {
    const variable = `${nameOf(one)}_ID`;
    const id = written.get(variable);
    if (id === undefined || id === found[index]?.id) continue;
    if (isRegistered((await connections.find(id))?.connection))
      throw new CommandRefused(
        `The file ${out} has another connection as ${variable}, ${id}: name another file with --out.`,
      );
  }
};

/** @throws CommandRefused if the file cannot be written */
const writeFirst = (out: string, text: string): void => {
  try {
    writeDurably(out, text);
  } catch (error) {
    throw new CommandRefused(
      `The file ${out} cannot be written (${errorMessage(error)}), and nothing was changed: ` +
        'name another one with --out.',
    );
  }
};

/** The connection with its secret, if this machine has it or may issue a new one. */
const withSecret = async (
  ports: OperatorPorts,
  one: Applied,
  { before, issueMissing }: { before: ReadonlyMap<string, string>; issueMissing: boolean },
): Promise<Applied> => {
  const secret = one.secret ?? earlierSecret(before, one);
  if (secret !== undefined) return { ...one, secret };
  if (!issueMissing) return one;
  // Nobody has the secret that it replaces: there is no overlap to keep.
  const anew = { overlapSeconds: 0, force: true };
  const { clientSecret } = accepted(await rotateSecret(ports, one.connection.id, anew));
  return {
    ...one,
    secret: clientSecret,
    noted: [...one.noted, ['secret.rotate', { overlap_seconds: '0' }]],
  };
};

interface SetToApply {
  readonly wanted: readonly WantedConnection[];
  readonly workspace: string;
  readonly out: string;
  readonly elsewhere?: string;
  /** Whether to issue a new secret where this machine does not have it. */
  readonly issueMissing: boolean;
  /** Whether types that nobody knows are allowed. */
  readonly force?: boolean;
  /** Told of each connection as soon as it is as wanted, and its secret is in the file. */
  readonly report?: (one: Applied) => void;
}

export const applySet = async (
  ports: OperatorPorts,
  set: SetToApply,
  notes: Pick<Notes, 'on'>,
): Promise<{
  readonly applied: readonly Applied[];
  readonly variables: Readonly<Record<string, string>>;
}> => {
  const { wanted, workspace, out, elsewhere, issueMissing, force = false, report } = set;
  const written = earlierVariables(out);
  const others = elsewhere === undefined ? [] : earlierVariables(elsewhere);
  const before = new Map([...others, ...written]);
  const applied: Applied[] = [];
  let variables: Readonly<Record<string, string>> = Object.fromEntries(written);
  let text = textOf(variables);
  const found = await existing(ports, workspace, wanted);
  await checkFile(ports, set, { written, found });
  // Before the first change: what it issues is nowhere else.
  writeFirst(out, text);
  for (const [index, one] of wanted.entries()) {
    let made = await applyOne(ports, workspace, { wanted: one, found: found[index] }, { force });
    try {
      made = await withSecret(ports, made, { before, issueMissing });
      applied.push(made);
      variables = merged(written, busVariables(ports.busIssuer, workspace), applied);
      const next = textOf(variables);
      // After each: a secret is shown only once, and the next step may fail.
      if (next !== text) writeDurably(out, next);
      text = next;
      report?.(made);
    } finally {
      for (const [what, facts] of made.noted) await notes.on(made.connection, what, facts);
    }
  }
  return { applied, variables };
};

/** @throws CommandRefused with everything that is wrong with the file */
const wantedIn = (file: string, options: ForceOption): readonly WantedConnection[] => {
  const set = readConnectionSet(utf8Text(inputBytes(file)) ?? '', options);
  if (set.kind === 'unusable') throw new CommandRefused(set.reason, set.problems);
  return set.wanted;
};

/** Whether a file is in a repository that does not ignore it (git-check-ignore(1)). */
const isOpenToGit = (path: string): boolean =>
  spawnSync('git', ['check-ignore', '--quiet', '--', basename(path)], {
    cwd: dirname(resolve(path)),
  }).status === 1;

const rowOf = ({ wanted: { name }, connection, change, secret }: Applied) => ({
  name,
  kind: connection.kind,
  connection_id: connection.id,
  change,
  secret: secret === undefined ? 'not on this machine' : 'in the file',
});

export const apply = command({
  usage: 'apply <file>',
  arguments: { file: 'the connections (YAML or JSON), or - for standard input' },
  description:
    'make or update a set of connections, and write their variables and secrets to a file',
  options: {
    workspace: option(
      '--workspace <id>',
      'their workspace (default: the demo workspace of the local service)',
    ),
    out: withDefault(
      option('--out <file>', 'the file for the variables, readable by its owner only'),
      defaultOut,
    ),
    issueMissing: flag('--issue-missing', 'issue a new secret where this machine does not have it'),
    force: flag('--force', 'allow types that are unknown to SOM 1.0 and to the skill library'),
  },
  async run(call, file) {
    const { options, terminal } = call;
    const wanted = wantedIn(file, options);
    const demo = options.environment === undefined ? readSeed(options.data)?.workspace : undefined;
    const workspace =
      options.workspace ?? demo ?? call.misused('name the workspace with --workspace');
    const applied: Applied[] = [];
    const report = (one: Applied) => {
      applied.push(one);
    };
    try {
      await applySet(call.ports, { ...options, wanted, workspace, report }, call.notes);
    } catch (error) {
      if (applied.length > 0) {
        call.print(applied.map(rowOf));
        terminal.error(
          `note: it stopped after ${applied.length} of ${wanted.length} connections, whose ` +
            `variables are in ${options.out}. Run it again to go on from there.`,
        );
      }
      throw error;
    }
    call.print(applied.map(rowOf));
    if (isOpenToGit(options.out))
      terminal.error(
        `note: git does not ignore ${options.out}: name it in .gitignore, so that nobody ` +
          'commits its secrets.',
      );
    if (applied.some(({ secret }) => secret === undefined))
      terminal.error(
        'note: some secrets are not on this machine; --issue-missing issues new ones, and the ' +
          'old ones stop working.',
      );
  },
});

import { nearest } from '../../platform/json/nearest.ts';
import { hint } from '../../platform/json/submitted.ts';
import { isJsonObject, type JsonObject } from '../../platform/json/value.ts';
import { readYaml } from '../../platform/json/yaml.ts';
import type { ConnectionKind, PermissionLists } from './connection.ts';
import type { ConnectionRequest, ForceOption } from './connections.ts';
import { problemWithUnknownTypes } from './patterns.ts';
import { problemWithPermissions } from './permissions.ts';

export interface WantedConnection extends Omit<ConnectionRequest, 'workspace'> {
  readonly name: string;
  /** What its environment variables begin with, such as `SOMBUS_NEWSROOM_NCS`. */
  readonly prefix: string;
  /** The lists that the file names. Others are for a new connection, and stay on one that exists. */
  readonly named: readonly PermissionName[];
}

/** What a file asks for; or, if anything is wrong with it, everything that is. */
type ConnectionSet =
  | { readonly kind: 'set'; readonly wanted: readonly WantedConnection[] }
  | { readonly kind: 'unusable'; readonly reason: string; readonly problems: readonly string[] };

const memberNames = {
  file: ['variables', 'connections'],
  entry: ['app', 'producer', 'consumer'],
  producer: ['system_ids', 'grants'],
  consumer: ['receives', 'sources'],
} as const;

type PermissionName = keyof PermissionLists;

const permissionNames = {
  system_ids: 'systemIds',
  grants: 'grants',
  receives: 'receives',
  sources: 'sources',
} as const satisfies Record<string, PermissionName>;

type ListName = keyof typeof permissionNames;

class Reader {
  readonly problems: string[] = [];

  map(value: unknown, where: string, members: readonly string[]): JsonObject {
    if (!isJsonObject(value)) {
      this.problems.push(`${where}: a map is expected, with ${members.join(', ')}.`);
      return {};
    }
    for (const name of Object.keys(value).filter(name => !members.includes(name)))
      this.problems.push(`${where}: there is no "${name}" here.${hint(nearest(name, members))}`);
    return value;
  }

  text(value: unknown, where: string, fallback: string): string {
    if (value === undefined) return fallback;
    if (typeof value === 'string' && value.trim() !== '') return value;
    this.problems.push(`${where}: a text is expected.`);
    return fallback;
  }

  texts(value: unknown, where: string, fallback: readonly string[]): readonly string[] {
    if (value === undefined) return fallback;
    if (Array.isArray(value) && value.every(item => typeof item === 'string'))
      return [...new Set<string>(value)];
    this.problems.push(`${where}: a list of texts is expected.`);
    return fallback;
  }

  variable(name: string, where: string): string {
    const variable = name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
    if (!/^[A-Z]\w*$/.test(variable))
      this.problems.push(`${where}: "${name}" cannot name an environment variable.`);
    return variable;
  }
}

const permissionsOf = (
  reader: Reader,
  kind: ConnectionKind,
  value: unknown,
  facts: { where: string; app: string; force: boolean },
) => {
  const { where, app, force } = facts;
  const members = reader.map(value ?? {}, where, memberNames[kind]);
  // A list of the other kind is a problem already: it is not read.
  const names: readonly ListName[] = memberNames[kind];
  const list = (name: ListName, fallback: readonly string[]) =>
    names.includes(name) ? reader.texts(members[name], `${where}.${name}`, fallback) : [];
  const permissions: PermissionLists = {
    systemIds: list('system_ids', [app]),
    grants: list('grants', ['*']),
    receives: list('receives', ['*']),
    sources: list('sources', []),
  };

  const problem = problemWithPermissions({ kind, ...permissions });
  if (problem !== undefined) reader.problems.push(`${where}: ${problem}`);
  const types = [...permissions.grants, ...permissions.receives];
  const unknown = problem === undefined && !force ? problemWithUnknownTypes(types) : undefined;
  if (unknown !== undefined)
    reader.problems.push(`${where}: ${unknown} To do it anyway, use --force.`);

  const named = names.filter(name => members[name] !== undefined);
  return { ...permissions, named: named.map(name => permissionNames[name]) };
};

const entryOf = (
  reader: Reader,
  name: string,
  value: unknown,
  { prefix, force }: { prefix: string; force: boolean },
): readonly WantedConnection[] => {
  const entry = reader.map(value, name, memberNames.entry);
  const app = reader.text(entry['app'], `${name}.app`, name);
  const kinds = (['producer', 'consumer'] as const).filter(kind => kind in entry);
  if (kinds.length === 0) reader.problems.push(`${name}: name a producer, a consumer or both.`);
  const variable = `${prefix}_${reader.variable(name, name)}`;
  return kinds.map(kind => ({
    name,
    kind,
    app,
    prefix: variable,
    ...permissionsOf(reader, kind, entry[kind], { where: `${name}.${kind}`, app, force }),
  }));
};

const checkTwins = (reader: Reader, wanted: readonly WantedConnection[]): void => {
  const seen = new Map<string, string>();
  for (const { name, kind, app, prefix } of wanted) {
    const variables = `${prefix}_${kind.toUpperCase()}`;
    for (const key of [`the ${kind} of the app ${app}`, `the variables ${variables}`]) {
      const other = seen.get(key);
      if (other !== undefined) reader.problems.push(`${name}: ${other} has ${key} already.`);
      seen.set(key, name);
    }
  }
};

/**
 * The connections that a file (YAML or JSON) asks for.
 *
 * @param force allows types that nobody knows
 */
export const readConnectionSet = (
  text: string,
  { force = false }: ForceOption = {},
): ConnectionSet => {
  const read = readYaml(text);
  if (read.kind === 'error')
    return { kind: 'unusable', reason: `The file cannot be read: ${read.reason}.`, problems: [] };
  const reader = new Reader();
  const file = reader.map(read.value, 'the file', memberNames.file);
  const prefix = reader.variable(
    reader.text(file['variables'], 'variables', 'SOMBUS'),
    'variables',
  );
  const entries = isJsonObject(file['connections']) ? Object.entries(file['connections']) : [];
  if (entries.length === 0)
    reader.problems.push('connections: a map of names to connections is expected.');
  const wanted = entries.flatMap(([name, value]) =>
    entryOf(reader, name, value, { prefix, force }),
  );
  checkTwins(reader, wanted);
  if (reader.problems.length > 0) {
    const reason = 'the file has errors, and nothing was changed';
    return { kind: 'unusable', reason, problems: reader.problems };
  }
  return { kind: 'set', wanted };
};

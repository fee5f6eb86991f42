import { type TableName, tableNames } from '../lib/contract/tables.ts';
import { between, markdownTable } from './generated-parts.ts';
import type { Deployment } from './permissions/deployment.ts';
import { permissionsOf } from './permissions/page.ts';

// What is stored under which key, and which functions write it: a table of docs/architecture.md.

interface ItemKind {
  readonly what: string;
  /** The file that makes the key. */
  readonly file: string;
}

const registryItems = 'lib/access/registry/items.dynamodb.ts';
const bounds: ItemKind = {
  what: 'how many there are of things of which there may be only so many',
  file: 'lib/platform/aws/bounded.ts',
};

/** What an item is, by its table and the beginning of its partition key. */
export const itemKinds: Readonly<Record<TableName, Readonly<Record<string, ItemKind>>>> = {
  registry: {
    ALERTS: { what: 'alerts', file: 'lib/portal/alerts/alerts.dynamodb.ts' },
    'APP#': { what: 'applications, and their connections', file: registryItems },
    'BOUND#': bounds,
    'CONNECTION#': { what: 'connections, and hashes of their secrets', file: registryItems },
    'INVITATION#': { what: 'invitations', file: 'lib/access/people/invitations.dynamodb.ts' },
    KEYS: { what: 'the ring of signing keys', file: 'lib/bus/tokens/signer.kms.ts' },
    OPERATOR: { what: 'roles and identity providers of the operator', file: registryItems },
    'ORGANISATION#': { what: 'organisations, and their members', file: registryItems },
    'PERSON#': {
      what: 'what a person belongs to',
      file: 'lib/access/people/directory.dynamodb.ts',
    },
    SEALS: { what: 'the ring of sealing keys', file: 'lib/access/seals/seal-ring.dynamodb.ts' },
    'SKILLS#': {
      what: 'registered skill instances of a connection',
      file: 'lib/skills/registrations.dynamodb.ts',
    },
    'TOKENS#': {
      what: 'how often a client asked for a token',
      file: 'lib/bus/tokens/token-requests.dynamodb.ts',
    },
    'WORKSPACE#': {
      what: 'workspaces: guests, system ids, roles, identity providers',
      file: registryItems,
    },
  },
  ledger: {
    'BOUND#': bounds,
    'CHECK#': { what: 'a test run and what it saw', file: 'lib/checks/test-runs.dynamodb.ts' },
    'CHECKS#': { what: 'the list of test runs', file: 'lib/checks/runs.dynamodb.ts' },
    'ID#': { what: 'accepted ids', file: 'lib/bus/delivery/ledger-items.dynamodb.ts' },
    'LOG#': {
      what: 'the log of a correlation: head and entries',
      file: 'lib/bus/delivery/ledger-items.dynamodb.ts',
    },
    'POLLS#': { what: 'polls that wait', file: 'lib/bus/consuming/waiting-polls.dynamodb.ts' },
    'RECEIPTS#': {
      what: 'receipts of messages pulled together',
      file: 'lib/bus/consuming/receipts.dynamodb.ts',
    },
    'REPLAY#': { what: 'a replay', file: 'lib/bus/replay/replays.dynamodb.ts' },
    'REPLAYS#': { what: 'the list of replays', file: 'lib/bus/replay/replays.dynamodb.ts' },
    'STORY#': {
      what: 'what the sequence rules need of the last snapshot',
      file: 'lib/bus/delivery/ledger-items.dynamodb.ts',
    },
  },
  activity: {
    'CHANGES#': { what: 'who changed what', file: 'lib/access/people/changes.dynamodb.ts' },
    'COUNTS#': { what: 'counts of a day', file: 'lib/bus/activity/counts.dynamodb.ts' },
    'FEED#': { what: 'what happened on a day', file: 'lib/bus/activity/records.dynamodb.ts' },
    'HANDLED#': {
      what: 'receives and acknowledgements',
      file: 'lib/bus/activity/handled.dynamodb.ts',
    },
    'KEEPS#': {
      what: 'whose refused messages are kept',
      file: 'lib/bus/activity/refused-texts.dynamodb.ts',
    },
    'LINES#': { what: 'log lines that were counted', file: 'lib/bus/activity/records.dynamodb.ts' },
    'MESSAGE#': {
      what: 'attempts with a message id',
      file: 'lib/bus/activity/records.dynamodb.ts',
    },
    'ROLLS#': { what: 'counts of months', file: 'lib/bus/activity/count-history.dynamodb.ts' },
    'TEXT#': { what: 'refused messages', file: 'lib/bus/activity/refused-texts.dynamodb.ts' },
    'TITLES#': { what: 'titles of stories', file: 'lib/bus/activity/records.dynamodb.ts' },
  },
  sessions: {
    'BOUND#': bounds,
    'SESSION#': { what: 'who is signed in', file: 'lib/portal/session.dynamodb.ts' },
  },
};

/** `BOUND#runs#*`: `BOUND#`. */
const beginningOf = (pattern: string): string => /^[A-Z]+#?/.exec(pattern)?.[0] ?? pattern;

const isWrite = (action: string): boolean => /:(Put|Update|Delete|BatchWrite)Item$/.test(action);

/**
 * Which functions write which items, by table and beginning of the key (`registry ALERTS`); none if
 * functions only read them.
 */
export const writersOfItems = (
  deployment: Deployment,
): ReadonlyMap<string, ReadonlySet<string>> => {
  const writers = new Map<string, Set<string>>();
  for (const { functionName, actions, on, keys } of permissionsOf(deployment)) {
    const [, table] = /^items of the (\w+)$/.exec(on) ?? [];
    if (table === undefined) continue;
    for (const key of keys) {
      const name = `${table} ${beginningOf(key)}`;
      const known = writers.get(name) ?? new Set();
      if (actions.some(isWrite)) known.add(functionName);
      writers.set(name, known);
    }
  }
  return writers;
};

const itemRows = (deployment: Deployment): readonly (readonly string[])[] => {
  const writers = writersOfItems(deployment);
  return tableNames.flatMap(table =>
    Object.entries(itemKinds[table]).map(([key, { what, file }]) => {
      const functions = [...(writers.get(`${table} ${key}`) ?? [])].sort();
      const by = functions.map(name => `\`${name}\``).join(', ');
      const link = `[${file.split('/').at(-1)}](../${file})`;
      return [table, `\`${key}\``, what, link, by || 'no function: only the operator'];
    }),
  );
};

/** `docs/architecture.md` with its table of items. */
export const withItems = (page: string, deployment: Deployment): string => {
  const head = ['Table', 'Key begins with', 'What it is', 'Key made in', 'Written by'];
  return between(page, 'items', markdownTable(head, itemRows(deployment)));
};

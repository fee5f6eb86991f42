import { readFileSync } from 'node:fs';
import type { Route } from '../../lib/contract/route.ts';
import { routes } from '../../lib/contract/routes.ts';
import { covers, type Permission, permissionsPage } from '../../scripts/permissions/page.ts';
import { defaultDeployment } from './support/stacks.ts';
import { actions, decisionOn, type Thing, things } from './support/things.ts';

const page = readFileSync('docs/permissions.md', 'utf8');
const deployment = defaultDeployment();
const functionNames = deployment.roles.flatMap(
  ({ functionName }) => functionName?.replace('sombus-sandbox-', '') ?? [],
);

const codes = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '');

/** The lines of the page's table, as a reader takes them. */
const lines = page.split('\n').flatMap((line): Omit<Permission, 'resource'>[] => {
  const [, functionName = '', may = '', on = '', only = ''] = line
    .split('|')
    .map(cell => cell.trim());
  if (!may.startsWith('`')) return [];
  const [keys = '', attributes = ''] = only.split('attributes');
  return [
    { functionName, actions: codes(may), on, keys: codes(keys), attributes: codes(attributes) },
  ];
});

/** What the page calls a thing; undefined if it never speaks of it. */
const wordsFor = ({ name }: Thing): string | undefined => {
  const [, table, index] = /^(registry|ledger|activity|sessions) index (\w+)$/.exec(name) ?? [];
  if (index !== undefined) return `index \`${index}\` of the ${table}`;
  const [, kind] = /^(registry|ledger|activity|sessions) /.exec(name) ?? [];
  if (kind !== undefined) return `items of the ${kind}`;
  const others: Readonly<Record<string, string>> = {
    'rotated key': 'signing keys',
    'consumer’s queue': 'consumers’ queues',
    'failed runs': 'queue of failed runs',
    alarm: 'alarms of the environment',
  };
  return others[name];
};

const expected = (functionName: string, action: string, thing: Thing): string => {
  const [key] = thing.context['dynamodb:LeadingKeys'] ?? [];
  const line = lines.find(
    one =>
      one.functionName === functionName &&
      one.on === wordsFor(thing) &&
      covers(one, { action, ...(key === undefined ? {} : { key }) }),
  );
  return line ? 'allowed' : 'denied';
};

describe('docs/permissions.md', () => {
  it('is what the templates say', () => {
    expect(page).toBe(permissionsPage(deployment));
  });

  it('says what the deployed run saw of a line: all of it, some of it or nothing', () => {
    const right = 'ack dynamodb:UpdateItem table/sombus-sandbox-ledger RECEIPTS#*';
    const rowOf = (...seen: readonly string[]) =>
      permissionsPage(deployment, new Set(seen))
        .split('\n')
        .find(line => line.startsWith('| ack |') && line.includes('`RECEIPTS#*`'));
    expect(rowOf()).toMatch(/ \| – \|$/);
    expect(rowOf(right)).toMatch(/ \| all but `dynamodb:BatchGetItem`, `RECEIPTS#\*` \|$/);
    expect(rowOf(right, right.replace('UpdateItem', 'BatchGetItem'))).toMatch(/ \| yes \|$/);
  });

  it.each(functionNames)(
    '%s: every call on every kind of thing is decided as the page says',
    name => {
      const wrong = things.flatMap(thing =>
        actions.flatMap(action => {
          const decision = decisionOn(deployment, name, { action, thing });
          return decision === expected(name, action, thing)
            ? []
            : [`${decision}: ${action} on ${thing.name}`];
        }),
      );
      expect(wrong).toEqual([]);
    },
  );
});

const deployed: Thing = {
  name: 'deployed key',
  arn: deployment.resources.find(({ type }) => type === 'AWS::KMS::Key')?.arn ?? '',
  context: { 'aws:ResourceTag/sombus-signing': ['sandbox'] },
};
const rotated = things.find(({ name }) => name === 'rotated key') ?? deployed;

describe('a signing key', () => {
  it.each([deployed, rotated])('$name signs for the token route alone', thing => {
    const signing = functionNames.filter(
      name => decisionOn(deployment, name, { action: 'kms:Sign', thing }) === 'allowed',
    );
    expect(signing).toEqual(['token']);
  });

  it.each([deployed, rotated])(
    '$name shows its public half to those whose row lists signer.keys alone',
    thing => {
      const reading = functionNames.filter(
        name => decisionOn(deployment, name, { action: 'kms:GetPublicKey', thing }) === 'allowed',
      );
      const listed = Object.entries<Route>(routes).flatMap(([id, { ports }]) =>
        ports.includes('signer.keys') ? [id] : [],
      );
      expect(reading.sort()).toEqual(['authoriser', ...listed].sort());
      expect(reading.sort()).toEqual(['authoriser', 'jwks', 'token']);
    },
  );

  it.each([deployed, rotated])(
    '$name signs for no other role, even if its own policy says so',
    thing => {
      const jwks = deployment.roles.find(
        ({ functionName }) => functionName === 'sombus-sandbox-jwks',
      );
      const generous = {
        ...deployment,
        policiesFor: (...asked: Parameters<typeof deployment.policiesFor>) => ({
          ...deployment.policiesFor(...asked),
          identity: [{ Effect: 'Allow', Action: 'kms:*', Resource: '*' } as const],
        }),
      };
      const may = (action: string) => decisionOn(generous, 'jwks', { action, thing });
      expect(jwks).toBeDefined();
      expect(['kms:Sign', 'kms:GetPublicKey', 'kms:DisableKey'].map(may)).toEqual([
        'denied',
        'allowed',
        'allowed',
      ]);
    },
  );
});

/** Decided without the page, which is made of the same templates. */
describe('who may do what cannot be undone', () => {
  const allowedTo = (action: string, isMeant: (thing: Thing) => boolean) => {
    const meant = things.filter(isMeant);
    expect(meant).not.toEqual([]);
    return functionNames
      .filter(name =>
        meant.some(thing => decisionOn(deployment, name, { action, thing }) === 'allowed'),
      )
      .sort();
  };
  const queue = ({ name }: Thing) => name === 'consumer’s queue';
  const inTable = (table: string) => (thing: Thing) => thing.name.startsWith(`${table} `);

  it.each([
    [
      'sqs:SendMessage',
      'queues',
      [
        'checks',
        'iam-publish',
        'jwt-publish',
        'operator-publish',
        'portal-call',
        'publish',
        'relay',
        'replay',
      ],
    ],
    ['sqs:ReceiveMessage', 'queues', ['pull']],
    ['sqs:DeleteMessage', 'queues', ['ack', 'pull']],
    ['sqs:SetQueueAttributes', 'queues', ['portal-call', 'verify-principal']],
    ['sqs:CreateQueue', 'queues', ['portal-call']],
    ['sqs:DeleteQueue', 'queues', ['portal-call']],
    ['dynamodb:PutItem', 'registry', ['checks', 'portal-call']],
    ['dynamodb:DeleteItem', 'registry', ['alerts', 'checks', 'portal-call']],
    ['dynamodb:DeleteItem', 'ledger', ['checks']],
    ['dynamodb:DeleteItem', 'activity', ['portal-call']],
    ['dynamodb:DeleteItem', 'sessions', ['portal-call']],
    ['dynamodb:GetItem', 'sessions', ['portal-call']],
  ] as const)('%s on %s', (action, where, names) => {
    const isMeant = where === 'queues' ? queue : inTable(where);
    expect(allowedTo(action, isMeant)).toEqual(names);
  });
});

describe('an intruder in one function gains little', () => {
  const allowed = (name: string, service: string) =>
    things.flatMap(thing =>
      actions
        .filter(action => action.startsWith(`${service}:`))
        .filter(action => decisionOn(deployment, name, { action, thing }) === 'allowed')
        .map(action => `${action} ${thing.name}`),
    );

  it('a dry run writes nothing', () => {
    for (const name of ['validate', 'iam-validate']) {
      const writes = [...allowed(name, 'dynamodb'), ...allowed(name, 'sqs')].filter(
        call => !/^dynamodb:(GetItem|BatchGetItem|Query) /.test(call),
      );
      expect(writes).toEqual([]);
    }
  });

  it('pull receives, releases and deletes what is skipped, ack deletes, nack releases', () => {
    expect(['pull', 'ack', 'nack'].map(name => allowed(name, 'sqs'))).toEqual([
      [
        'sqs:ReceiveMessage consumer’s queue',
        'sqs:DeleteMessage consumer’s queue',
        'sqs:ChangeMessageVisibility consumer’s queue',
      ],
      ['sqs:DeleteMessage consumer’s queue'],
      ['sqs:ChangeMessageVisibility consumer’s queue'],
    ]);
  });

  it.each([
    [
      'token',
      'CONNECTION#1',
      ['pk', 'sk', 'current_hash', 'current_used_at'],
      ['pk', 'sk', 'status'],
    ],
    [
      'verify-principal',
      'WORKSPACE#1',
      ['pk', 'sk', 'status', 'verified_at'],
      ['pk', 'sk', 'role_arn'],
    ],
  ])('%s writes only what it must of a %s', (name, key, own, foreign) => {
    const thing = things.find(one => one.name === `registry ${key}`) ?? deployed;
    const update = (attributes: readonly string[]) =>
      decisionOn(deployment, name, {
        action: 'dynamodb:UpdateItem',
        thing,
        context: { 'dynamodb:Attributes': attributes },
      });
    expect([update(own), update(foreign)]).toEqual(['allowed', 'denied']);
  });
});

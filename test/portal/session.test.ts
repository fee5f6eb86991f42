import { expr } from '../../lib/aws/expression.ts';
import { queryAll, type Table } from '../../lib/aws/table.ts';
import { limits } from '../../lib/contract/limits.ts';
import { serveCalls } from '../../lib/portal/calls.http.ts';
import type { PortalPorts } from '../../lib/portal/ports.ts';
import { awsSessions } from '../../lib/portal/session.dynamodb.ts';
import {
  attemptText,
  newAttempt,
  type Session,
  type Sessions,
  sessionHash,
  startSession,
} from '../../lib/portal/session.ts';
import { portalHandlers } from '../../lib/wiring/portal.ts';
import { time } from '../support/entries.ts';
import { unused } from '../support/fakes/unused.ts';
import { countingIds, frozenClock } from '../support/identity-fakes.ts';
import { tablesHere } from '../support/local-aws.ts';

const person = { issuer: 'local', subject: 'owner', name: 'owner' };
const clock = frozenClock(time);
const ids = countingIds();
let sessions: Sessions;
let table: Table;
const tables = tablesHere();

beforeAll(() => {
  table = tables.table('sessions');
  sessions = awsSessions(table);
});

const begin = async (seconds = 12 * 3_600) => {
  const id = await startSession({ clock, ids, sessions }, person, seconds);
  const hash = sessionHash(id) ?? '';
  return { id, hash, use: () => sessions.use(hash, clock.now()) };
};

test('only the hash of an id is stored', async () => {
  const { id, hash } = await begin();
  const [item] = await queryAll(table, { KeyConditionExpression: expr`pk = ${`SESSION#${hash}`}` });
  expect(item).toMatchObject(person);
  expect(JSON.stringify(item)).not.toContain(id);
});

test('a session lasts an hour without use', async () => {
  const { use } = await begin();
  clock.advance(3_599_000);
  expect(await use()).toMatchObject({ person, createdAt: clock.now() - 3_599_000 });
  clock.advance(3_600_000);
  expect(await use()).toBeUndefined();
});

test('a session of the deployed portal lasts an hour, however busy it is: then the identity provider is asked again', async () => {
  const { use } = await begin(limits.sessionSeconds);
  for (let part = 1; part <= 4; part += 1) {
    expect(await use()).toMatchObject({ person });
    clock.advance(900_000);
  }
  expect(await use()).toBeUndefined();
});

test.each([
  ['deployed', undefined, 3_600],
  ['local', true as const, 12 * 3_600],
])(
  'a sign-in at the %s portal opens a session, and a cookie, of so many seconds',
  async (_, isLocal, seconds) => {
    const ends: number[] = [];
    const ports = {
      ...{ clock, ids },
      sessions: {
        ...unused<Sessions>('the sessions'),
        create: async (_hash: string, { endsAt }: Session) => void ends.push(endsAt),
      },
      provider: { ...unused<PortalPorts['provider']>('the provider'), personOf: async () => person },
      members: unused<PortalPorts['members']>('the members'),
    };
    const attempt = attemptText(newAttempt(ports, { to: '/' }));
    const settings = { origin: 'https://portal', ...(isLocal ? { isLocal } : {}) };
    const serve = serveCalls(ports as unknown as PortalPorts, portalHandlers, settings);
    const done = await serve({
      requestId: 'r',
      method: 'GET',
      pathParameters: { proxy: 'sign/back' },
      headers: { host: 'portal', cookie: `${isLocal ? '' : '__Host-'}sombus-sign-in=${attempt}` },
      query: {},
      body: Buffer.of(),
    });
    expect(done.cookies?.[0]).toContain(`Max-Age=${seconds};`);
    expect(ends).toEqual([clock.now() + seconds * 1_000]);
  },
);

test('a session on a laptop lasts twelve hours, however busy it is', async () => {
  const { use } = await begin();
  for (let hour = 1; hour <= 13; hour += 1) {
    clock.advance(3_300_000);
    expect(await use()).toMatchObject({ person });
  }
  clock.advance(300_000);
  expect(await use()).toBeUndefined();
});

test('a session may ask thirty times at once, and ten times a second', async () => {
  const { use } = await begin();
  const asked = async (times: number) => {
    let allowed = 0;
    for (let count = 0; count < times; count += 1) if ((await use()) !== 'busy') allowed += 1;
    return allowed;
  };
  expect(await asked(50)).toBe(30);
  clock.advance(1_000);
  expect(await asked(50)).toBe(10);
  clock.advance(60_000);
  expect(await asked(50)).toBe(30);
});

test('people publish ten messages at once as one connection, and one a second, whoever they are', async () => {
  const counted = async (connection: string, times: number) => {
    let allowed = 0;
    for (let count = 0; count < times; count += 1)
      if (await sessions.countPublish(connection, clock.now())) allowed += 1;
    return allowed;
  };
  expect(await counted('caaaaaaaaaaaa', 20)).toBe(10);
  expect(await counted('cbbbbbbbbbbbb', 2)).toBe(2);
  clock.advance(2_000);
  expect(await counted('caaaaaaaaaaaa', 20)).toBe(2);
  clock.advance(60_000);
  expect(await counted('caaaaaaaaaaaa', 20)).toBe(10);
});

test('a session that was ended is gone, and a text of another form is no session id', async () => {
  const { hash, use } = await begin();
  await sessions.end(hash);
  expect(await use()).toBeUndefined();
  expect([sessionHash(''), sessionHash('x'), sessionHash('#'.repeat(43))]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

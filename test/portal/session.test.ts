import { limits } from '../../lib/contract/limits.ts';
import { expr } from '../../lib/platform/aws/expression.ts';
import { queryAll, type Table } from '../../lib/platform/aws/table.ts';
import { serveCalls } from '../../lib/portal/calls.http.ts';
import type { PortalPorts } from '../../lib/portal/ports.ts';
import { awsSessions } from '../../lib/portal/session.dynamodb.ts';
import {
  attemptText,
  newAttempt,
  type PortalSession,
  readAttempt,
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

const begin = async (seconds: number = limits.localSessionSeconds) => {
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

// Then the identity provider is asked again.
test.each([
  ['deployed', limits.sessionSeconds, 1],
  ['local', limits.localSessionSeconds, 12],
] as const)(
  'a session of the %s portal lasts so long, however busy it is',
  async (_, seconds, hours) => {
    const { use } = await begin(seconds);
    for (let quarter = 0; quarter < 4 * hours; quarter += 1) {
      expect(await use()).toMatchObject({ person });
      clock.advance(900_000);
    }
    expect(await use()).toBeUndefined();
  },
);

// As test/portal/sign-in.test.ts says of the local portal.
test('a sign-in at the deployed portal opens a session, and a cookie, of an hour', async () => {
  const ends: number[] = [];
  const ports = {
    ...{ clock, ids },
    sessions: {
      ...unused<Sessions>('the sessions'),
      create: async (_hash: string, { endsAt }: PortalSession) => void ends.push(endsAt),
    },
    provider: { ...unused<PortalPorts['provider']>('the provider'), personOf: async () => person },
  } as unknown as PortalPorts;
  const attempt = attemptText(newAttempt(ports, { to: '/' }));
  const done = await serveCalls(ports, portalHandlers, { origin: 'https://portal' })({
    ...{ requestId: 'r', method: 'GET', query: {}, body: Buffer.of() },
    pathParameters: { proxy: 'sign/back' },
    headers: { host: 'portal', cookie: `__Host-sombus-sign-in=${attempt}` },
  });
  expect(done.cookies?.[0]).toContain('Max-Age=3600;');
  expect(ends).toEqual([clock.now() + 3_600_000]);
});

test('a sign-in ends a session only, whatever else its cookie names', () => {
  const begun = newAttempt({ clock, ids }, { to: '/' });
  const replacedBy = (replaces: string) =>
    readAttempt(attemptText({ ...begun, replaces }), begun.startedAt)?.replaces;
  const hash = sessionHash('x'.repeat(43));
  expect(replacedBy(String(hash))).toBe(hash);
  for (const other of ['publishes#caaaaaaaaaaaa', `${hash}x`, 'x'.repeat(2_500), ''])
    expect(replacedBy(other)).toBeUndefined();
});

test('a sign-in must be finished in time, and its cookie is not from the future', () => {
  const begun = newAttempt({ clock, ids }, { to: '/' });
  const readAfter = (milliseconds: number) =>
    readAttempt(attemptText(begun), begun.startedAt + milliseconds);
  const whole = limits.signInSeconds * 1_000;
  expect([0, whole - 1].map(readAfter)).toEqual([begun, begun]);
  expect([-1, whole].map(readAfter)).toEqual([undefined, undefined]);
});

/** How many of so many attempts are allowed. */
const allowed = async (times: number, attempt: () => Promise<unknown>): Promise<number> => {
  let count = 0;
  for (let tried = 0; tried < times; tried += 1) {
    const result = await attempt();
    if (result !== 'busy' && result !== false) count += 1;
  }
  return count;
};

test('a session may ask thirty times at once, and ten times a second', async () => {
  const { use } = await begin();
  expect(await allowed(50, use)).toBe(30);
  clock.advance(1_000);
  expect(await allowed(50, use)).toBe(10);
  clock.advance(60_000);
  expect(await allowed(50, use)).toBe(30);
});

test('people publish ten messages at once as one connection, and one a second, whoever they are', async () => {
  const publish = (connection: string) => () => sessions.countPublish(connection, clock.now());
  const [one, other] = [publish('caaaaaaaaaaaa'), publish('cbbbbbbbbbbbb')];
  expect(await allowed(20, one)).toBe(10);
  expect(await allowed(2, other)).toBe(2);
  clock.advance(2_000);
  expect(await allowed(20, one)).toBe(2);
  clock.advance(60_000);
  expect(await allowed(20, one)).toBe(10);
});

test('a session that was ended is gone, and a text of another form is no session id', async () => {
  const { hash, use } = await begin();
  await sessions.end(hash);
  expect(await use()).toBeUndefined();
  expect(['', 'x', '#'.repeat(43)].map(sessionHash)).toEqual([undefined, undefined, undefined]);
});

test('a person can sign out while the registry cannot be read', async () => {
  const { id, use } = await begin();
  const ports = { clock, sessions, provider: { endSessionUrl: async () => undefined } };
  const signOut = serveCalls(ports as unknown as PortalPorts, portalHandlers, {
    origin: 'https://portal',
  });
  const { status } = await signOut({
    ...{ requestId: 'r', method: 'POST', query: {}, body: Buffer.from('{}') },
    pathParameters: { proxy: 'sign/out' },
    headers: {
      ...{ host: 'portal', origin: 'https://portal', 'content-type': 'application/json' },
      ...{ 'x-sombus-portal': '1', cookie: `__Host-sombus-session=${id}` },
    },
  });
  expect([status, await use()]).toEqual([200, undefined]);
});

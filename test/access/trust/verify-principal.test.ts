import type { Connection } from '../../../lib/access/registry/connection.ts';
import { type Principal, storedChallenge } from '../../../lib/access/trust/principals.ts';
import { verifyPrincipalEdge } from '../../../lib/access/trust/verify-principal.http.ts';
import { connection, now } from '../../bus/tokens/tokens.ts';
import { frozenClock } from '../../support/identity-fakes.ts';

const consumer: Connection = { ...connection, kind: 'consumer', queue: 'queue.fifo' };
const roleArn = 'arn:aws:iam::123456789012:role/newsroom/demo';
const pending: Principal = {
  id: 'paaaaaaaaaaaa',
  scope: connection.workspace,
  connection: connection.id,
  roleArn,
  status: 'pending',
  challenge: storedChallenge('sbc_right', now),
  createdAt: '2026-05-04T08:00:00.000Z',
};
/** The route needs none. */
const settings = { origin: 'https://bus.example' };
const at = '2026-05-04T09:00:00.000Z';

interface Facts {
  readonly of?: Connection;
  readonly principals?: readonly Principal[];
  /** Whether the connection is registered when its queue has been opened. */
  readonly isLeft?: boolean;
  readonly readers?: 'set' | 'refused' | 'gone';
  readonly isAdmitted?: boolean;
  readonly isVerified?: boolean;
  readonly isWithdrawn?: boolean;
}

/** The route with everything that it does noted, as soon as it is done. */
const scene = (facts: Facts = {}) => {
  const { of = connection, principals = [pending], readers = 'set' } = facts;
  const done: unknown[] = [];
  const note = async <T>(result: T, ...call: readonly unknown[]): Promise<T> => {
    await undefined;
    done.push(call);
    return result;
  };
  const verify = verifyPrincipalEdge(
    {
      clock: frozenClock(),
      registry: {
        principalsOf: (workspace, { name }) => note(principals, 'look', workspace, name),
        connection: async id => (id === of.id ? of : undefined),
        isRegistered: async () => facts.isLeft ?? true,
      },
      principals: {
        list: async () => [{ ...pending, status: 'verified' }],
        admit: ({ id }, when) => note(facts.isAdmitted ?? true, 'admit', id, when),
        verify: ({ id }, when) => note(facts.isVerified ?? true, 'verify', id, when),
        withdraw: ({ id }) =>
          facts.isWithdrawn === false
            ? Promise.reject(new Error('The table is away.'))
            : note(undefined, 'withdraw', id),
      },
      queueReaders: { letRead: (queue, roles) => note(readers, 'read', queue, roles) },
    },
    settings,
  );
  const ask = (change: object = {}) =>
    verify({
      requestId: 'r1',
      headers: { 'content-type': 'application/json' },
      pathParameters: { t: connection.workspace },
      query: {},
      body: Buffer.from(JSON.stringify({ connection_id: connection.id, challenge: 'sbc_right' })),
      signer: 'arn:aws:sts::123456789012:assumed-role/demo/session-1',
      ...change,
    });
  return { ask, done };
};
const looked = ['look', connection.workspace, 'demo'];
const invalid = { status: 403, log: { rule: 'principal.challenge_invalid' } };
const json = (value: unknown) => ({ body: Buffer.from(JSON.stringify(value)) });

test('a role that answers its challenge is verified, and told what it is now', async () => {
  const { ask, done } = scene();
  expect(await ask()).toEqual({
    status: 200,
    headers: {},
    body: {
      verified: true,
      connection_id: connection.id,
      role_arn: roleArn,
      verified_at: at,
    },
    log: { connection: connection.id, workspace: connection.workspace },
  });
  expect(done).toEqual([looked, ['verify', pending.id, at]]);
});

test("a consumer's role reads the queue before its challenge is used up", async () => {
  const { ask, done } = scene({ of: consumer });
  expect(await ask()).toMatchObject({ status: 200 });
  expect(done).toEqual([
    looked,
    ['admit', pending.id, at],
    ['read', 'queue.fifo', [roleArn]],
    ['verify', pending.id, at],
  ]);
});

test('a request that is not signed is unauthenticated, and nothing is looked up', async () => {
  const { ask, done } = scene();
  expect(await ask({ signer: undefined })).toMatchObject({
    status: 401,
    log: { rule: 'producer.unauthenticated' },
  });
  expect(done).toEqual([]);
});

test('a body of another type is refused, and nothing is looked up', async () => {
  const { ask, done } = scene();
  expect(await ask({ headers: { 'content-type': 'text/plain' } })).toMatchObject({
    log: { rule: 'message.unsupported_media_type' },
  });
  expect(done).toEqual([]);
});

test.each([
  ['no JSON', { body: Buffer.from('{') }],
  ['no connection', json({ challenge: 'sbc_right' })],
  ['no challenge', json({ connection_id: connection.id })],
  ['a connection that is no text', json({ connection_id: 1, challenge: 'sbc_right' })],
  ['a challenge that is no text', json({ connection_id: connection.id, challenge: 1 })],
])('a body with %s is told what it has to hold', async (_, change) => {
  const { ask, done } = scene();
  expect(await ask(change)).toMatchObject({
    log: { rule: 'message.not_json' },
    body: {
      violations: [
        { message: 'The body must be a JSON object with the texts connection_id and challenge.' },
      ],
    },
  });
  expect(done).toEqual([]);
});

test.each([
  ['of a workspace that is none', { pathParameters: { t: 'operator' } }],
  ['without a workspace', { pathParameters: {} }],
  ['of somebody who is no role', { signer: 'arn:aws:iam::123456789012:user/demo' }],
])('a request %s is refused, and nothing is looked up', async (_, change) => {
  const { ask, done } = scene();
  expect(await ask(change)).toMatchObject(invalid);
  expect(done).toEqual([]);
});

test.each<[string, Facts]>([
  ['nobody has registered', { principals: [] }],
  ['has another challenge', { principals: [{ ...pending, challenge: storedChallenge('x', now) }] }],
  ['is on a connection that is revoked', { of: { ...connection, status: 'revoked' } }],
  ['is on a connection that is gone', { of: { ...connection, id: 'cbbbbbbbbbbbb' } }],
])('a role that %s is refused, and nothing is written', async (_, facts) => {
  const { ask, done } = scene(facts);
  expect(await ask()).toMatchObject(invalid);
  expect(done).toEqual([looked]);
});

test('a challenge that was used in the meantime is refused', async () => {
  expect(await scene({ isVerified: false }).ask()).toMatchObject(invalid);
  const { ask, done } = scene({ of: consumer, isAdmitted: false });
  expect(await ask()).toMatchObject(invalid);
  expect(done).toEqual([looked, ['admit', pending.id, at]]);
});

const second = { ...pending, id: 'pbbbbbbbbbbbb', connection: 'cbbbbbbbbbbbb' };
const verifiedOn = (kind: Connection['kind'], of: Connection) => {
  const other: Connection = { ...connection, id: second.connection, kind };
  const verify = verifyPrincipalEdge(
    {
      clock: frozenClock(),
      registry: {
        principalsOf: async () => [{ ...second, status: 'verified' }, pending],
        connection: async id => (id === other.id ? other : of),
        isRegistered: async () => true,
      },
      principals: {
        list: async () => [],
        admit: async () => true,
        verify: async () => true,
        withdraw: async () => undefined,
      },
      queueReaders: { letRead: async () => 'set' },
    },
    settings,
  );
  return verify({
    requestId: 'r1',
    headers: { 'content-type': 'application/json' },
    pathParameters: { t: connection.workspace },
    query: {},
    signer: roleArn,
    ...json({ connection_id: connection.id, challenge: 'sbc_right' }),
  });
};

test('a role of one producer is refused on a second, and told what to revoke', async () => {
  expect(await verifiedOn('producer', connection)).toMatchObject({
    ...invalid,
    body: {
      violations: [
        {
          message:
            'The role acts for the producer cbbbbbbbbbbbb already: ' +
            'revoke pbbbbbbbbbbbb first, then register the role again.',
        },
      ],
    },
  });
});

test('a role of a producer may read as a consumer, and the other way round', async () => {
  expect(await verifiedOn('producer', consumer)).toMatchObject({ status: 200 });
  expect(await verifiedOn('consumer', connection)).toMatchObject({ status: 200 });
});

test('a consumer that was suspended meanwhile has its queue closed, and the role waits', async () => {
  const { ask, done } = scene({ of: consumer, isLeft: false });
  expect(await ask()).toMatchObject(invalid);
  expect(done).toEqual([
    looked,
    ['admit', pending.id, at],
    ['read', 'queue.fifo', [roleArn]],
    ['read', 'queue.fifo', []],
    ['withdraw', pending.id],
  ]);
});

test('a role that AWS does not know waits, and is told why', async () => {
  const { ask, done } = scene({ of: consumer, readers: 'refused' });
  expect(await ask()).toMatchObject({
    ...invalid,
    body: {
      violations: [
        { message: expect.stringMatching(/^AWS does not know arn:aws:iam::1234567890/) },
      ],
    },
  });
  expect(done.slice(2)).toEqual([
    ['read', 'queue.fifo', [roleArn]],
    ['withdraw', pending.id],
  ]);
});

test('a queue that is gone is an error, and so is a registration that cannot be set back', async () => {
  const gone = scene({ of: consumer, readers: 'gone' });
  await expect(gone.ask()).rejects.toThrow(`The queue of the connection ${connection.id} is gone.`);
  const { ask } = scene({ of: consumer, readers: 'refused', isWithdrawn: false });
  await expect(ask()).rejects.toThrow('The table is away.');
});

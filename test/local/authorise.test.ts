import { authorise, cachedAuthoriser } from '../../lib/local/authorise.ts';
import type { AccessKey } from '../../lib/local/roles.ts';
import type { Arrival } from '../../lib/platform/http/gateway-event.ts';
import { authoriserEvent } from '../support/proxy-event.ts';

const start = Date.parse('2026-05-04T09:00:00.000Z');
const asks = (path: string, ...authorization: string[]) =>
  authoriserEvent({ path, multiValueHeaders: { Authorization: authorization } });
const allowing = (context?: object) => ({
  principalId: 'c',
  policyDocument: { Version: '2012-10-17', Statement: [] },
  ...(context && { context: context as Record<string, string> }),
});

/** A gateway's cache before an authoriser that answers with what `answer` gives. */
const cached = (answer: (header: string) => object) => {
  const asked: string[] = [];
  const clock = { now: start };
  const authoriser = async (event: ReturnType<typeof asks>) => {
    const header = event.multiValueHeaders?.['Authorization']?.[0] ?? '';
    asked.push(`${event.path} ${header}`);
    return allowing(answer(header));
  };
  return { asked, clock, authoriseToken: cachedAuthoriser(authoriser, () => clock.now) };
};

describe('what the authoriser allows', () => {
  test('holds for ten seconds, for its path and its header alone', async () => {
    const { asked, clock, authoriseToken } = cached(header => ({ connection: header.slice(7) }));
    const allowed = (connection: string) => ({
      kind: 'allowed',
      caller: { context: { connection } },
    });
    expect(await authoriseToken(asks('/a', 'Bearer one'))).toEqual(allowed('one'));
    clock.now += 9_999;
    expect(await authoriseToken(asks('/a', 'Bearer one'))).toEqual(allowed('one'));
    expect(await authoriseToken(asks('/b', 'Bearer one'))).toEqual(allowed('one'));
    expect(await authoriseToken(asks('/a', 'Bearer two'))).toEqual(allowed('two'));
    expect(asked).toEqual(['/a Bearer one', '/b Bearer one', '/a Bearer two']);
    clock.now += 1;
    await authoriseToken(asks('/a', 'Bearer one'));
    expect(asked).toHaveLength(4);
    await authoriseToken(asks('/a', 'Bearer one'));
    expect(asked).toHaveLength(4);
  });

  test('is kept of ten thousand tokens, and then of none before', async () => {
    const { asked, authoriseToken } = cached(() => ({}));
    const ask = (token: number) => authoriseToken(asks('/a', `Bearer ${token}`));
    for (let token = 0; token < 10_000; token += 1) await ask(token);
    await ask(0);
    expect(asked).toHaveLength(10_000);
    await ask(10_000);
    await ask(10_000);
    expect(asked).toHaveLength(10_001);
    await ask(9_999);
    expect(asked).toHaveLength(10_002);
  });

  test('may be nothing but that', async () => {
    const authoriseToken = cachedAuthoriser(
      async () => allowing(),
      () => start,
    );
    expect(await authoriseToken(asks('/a', 'Bearer one'))).toEqual({
      kind: 'allowed',
      caller: { context: {} },
    });
  });

  test.each([[[]], [['Bearer one', 'Bearer two']]])(
    'is asked for one header, not for %j',
    async headers => {
      const { asked, authoriseToken } = cached(() => ({}));
      expect(await authoriseToken(asks('/a', ...headers))).toEqual({ kind: 'unauthorized' });
      expect(asked).toEqual([]);
    },
  );
});

describe('what the authoriser refuses', () => {
  const refusedFor = (thrown: unknown) => {
    const authoriser = jest.fn().mockRejectedValue(thrown);
    return { authoriser, authoriseToken: cachedAuthoriser(authoriser, () => start) };
  };

  test.each([
    ['unknown_issuer', 'Its issuer (iss) is not a registered identity provider here.'],
    ['no_key', 'No single key of the key set fits its kid and alg, or the key set cannot be read.'],
    ['bad_signature', 'Its signature does not fit the key that it names.'],
    ['wrong_audience', 'Its audience (aud) is not the registered one.'],
    ['expired', 'It has expired.'],
    ['too_long', 'It is valid for longer than 3600 seconds.'],
    ['no_client', 'The claim that names the client is missing.'],
    ['unbound_client', 'Its client is not bound to a connection.'],
    ['other', 'One of its claims or its header is not as the contract says.'],
  ])('%s is told, because this service is the owner’s own', async (cause, words) => {
    const { authoriseToken } = refusedFor(new Error('Unauthorized', { cause }));
    expect(await authoriseToken(asks('/a', 'Bearer one'))).toEqual({
      kind: 'unauthorized',
      reason: `The bus does not take this token. ${words}`,
    });
  });

  test.each([undefined, 'toString', ['expired']])(
    'has no reason if its cause is %j',
    async cause => {
      const { authoriseToken } = refusedFor(new Error('Unauthorized', { cause }));
      expect(await authoriseToken(asks('/a', 'Bearer one'))).toEqual({ kind: 'unauthorized' });
    },
  );

  test('is asked again each time', async () => {
    const { authoriser, authoriseToken } = refusedFor(new Error('Unauthorized'));
    await authoriseToken(asks('/a', 'Bearer one'));
    await authoriseToken(asks('/a', 'Bearer one'));
    expect(authoriser).toHaveBeenCalledTimes(2);
  });

  test.each([new Error('The registry is on fire.'), { message: 'Unauthorized' }])(
    'is no refusal but a failure if it throws %j',
    async error => {
      const { authoriseToken } = refusedFor(error);
      expect(await authoriseToken(asks('/a', 'Bearer one'))).toEqual({ kind: 'failed', error });
    },
  );
});

describe('a request proves who sent it', () => {
  const arrival = (route: Arrival['route'], query = ''): Arrival => ({
    route,
    method: 'POST',
    target: { path: '/v1/%61', query },
    pathParameters: {},
    headers: [['Authorization', 'x']],
    requestId: 'r',
  });
  const body = Buffer.from('{}');
  const key: AccessKey = {
    accessKeyId: 'ASIAEXAMPLE',
    secretAccessKey: 's',
    sessionToken: 't',
    roleArn: 'arn:aws:iam::000000000000:role/team/newsroom/sender',
  };
  const proofs = () => ({
    authoriseToken: jest.fn(async () => ({ kind: 'allowed' as const, caller: { context: 'c' } })),
    verifySignature: jest.fn(() => ({ kind: 'verified' as const, accessKey: key })),
  });

  test('not at an open route', async () => {
    const given = proofs();
    expect(await authorise(given)(arrival('health'), body)).toEqual({
      kind: 'allowed',
      caller: {},
    });
    expect(given.authoriseToken).not.toHaveBeenCalled();
    expect(given.verifySignature).not.toHaveBeenCalled();
  });

  test('with a token, that the authoriser gets with the whole request', async () => {
    const given = proofs();
    expect(await authorise(given)(arrival('publish'), body)).toEqual({
      kind: 'allowed',
      caller: { context: 'c' },
    });
    expect(given.authoriseToken.mock.calls).toEqual([
      [
        expect.objectContaining({
          type: 'REQUEST',
          path: '/v1/%61',
          multiValueHeaders: { Authorization: ['x'] },
        }),
      ],
    ]);
    expect(given.verifySignature).not.toHaveBeenCalled();
  });

  test.each([
    ['', '/v1/%61'],
    ['b=1&a', '/v1/%61?b=1&a'],
  ])(
    'with a signature of the target as it was sent, here with the query %j',
    async (query, target) => {
      const given = proofs();
      expect(await authorise(given)(arrival('iam-publish', query), body)).toEqual({
        kind: 'allowed',
        caller: { signer: 'arn:aws:sts::000000000000:assumed-role/sender/local' },
      });
      expect(given.verifySignature.mock.calls).toEqual([
        [{ method: 'POST', target, headers: [['Authorization', 'x']], body }],
      ]);
      expect(given.authoriseToken).not.toHaveBeenCalled();
    },
  );

  test('and hears why its signature is refused', async () => {
    const verifySignature = () =>
      ({ kind: 'refused', problem: 'expired', reason: 'It is too old.' }) as const;
    expect(await authorise({ ...proofs(), verifySignature })(arrival('iam-publish'), body)).toEqual(
      { kind: 'unauthorized', reason: 'It is too old.' },
    );
  });
});

import { createHash } from 'node:crypto';
import { Issuer, writeOneTimeKey } from '../../../../lib/local/engines/oidc/issuer.ts';
import { startIssuer } from '../../../../lib/local/engines/oidc/server.ts';
import { openStore } from '../../../../lib/local/engines/store.ts';
import { FrozenClock } from '../support/frozen-clock.ts';

const clock = new FrozenClock();
const client = { id: 'portal', secret: 'the secret of the portal' };
const keySecret = 'what one-time keys are made with';
const redirectUri = 'http://portal.test/signed-in';
const verifier = 'v'.repeat(43);

const issuerWith = () => {
  let ids = 0;
  return new Issuer(openStore(), {
    clock,
    newId: () => `id-${++ids}`,
    client,
    keySecret,
    isRedirectUri: uri => uri === redirectUri,
  });
};

const codeFrom = (issuer: Issuer, challenge: string): string => {
  const until = clock.now() + 60_000;
  const authorization = issuer.authorize({
    client_id: client.id,
    redirect_uri: redirectUri,
    response_type: 'code',
    state: 's',
    nonce: 'n',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    login_hint: writeOneTimeKey(keySecret, { name: 'ana', until }),
  });
  if (authorization.kind !== 'granted') throw new Error(JSON.stringify(authorization));
  return new URL(authorization.location).searchParams.get('code') ?? '';
};

const basic = (secret: string): string =>
  `Basic ${Buffer.from(`${client.id}:${encodeURIComponent(secret)}`).toString('base64')}`;

const formOf = (code: string): URLSearchParams =>
  new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });

const right = createHash('sha256').update(verifier).digest('base64url');

test.each([
  ['that fits', right, { tokens: expect.objectContaining({ token_type: 'Bearer' }) }],
  ['of the same length', `${right.slice(0, -1)}_`, { error: 'invalid_grant' }],
  ['that is shorter', right.slice(1), { error: 'invalid_grant' }],
  ['with the letters of another alphabet', `${right.slice(0, -1)}é`, { error: 'invalid_grant' }],
])(
  'a code is exchanged with the verifier of its challenge: one %s',
  async (_, challenge, wanted) => {
    const issuer = issuerWith();
    const form = formOf(codeFrom(issuer, challenge));
    const authorization = basic(client.secret);
    expect(await issuer.token('http://issuer.test', { authorization, form })).toEqual(wanted);
  },
);

test.each([
  ['shorter', client.secret.slice(1)],
  ['as long', client.secret.replace('p', 'q')],
  ['as long, in more bytes', client.secret.replace('e', 'é')],
])('another secret, %s, is no client', async (_, secret) => {
  const issuer = issuerWith();
  const form = formOf(codeFrom(issuer, right));
  const authorization = basic(secret);
  expect(await issuer.token('http://issuer.test', { authorization, form })).toEqual({
    error: 'invalid_client',
  });
});

test('an error is told as one that may pass, and reported', async () => {
  const errors: unknown[] = [];
  const server = await startIssuer(issuerWith(), {
    port: 0,
    hosts: [],
    beforeResponse: () => Promise.reject(new Error('the disk is full')),
    onError: error => errors.push(error),
  });
  const response = await fetch(`${server.origin}/.well-known/openid-configuration`);
  await server.close();
  expect([response.status, await response.json()]).toEqual([
    503,
    { error: 'temporarily_unavailable' },
  ]);
  expect(errors).toEqual([new Error('the disk is full')]);
});

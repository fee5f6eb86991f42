import type { IdentityProvider } from '../../../lib/access/registry/registry.ts';
import { addIdentityProvider, bindClient } from '../../../lib/access/trust/identity-providers.ts';
import { operatorScope } from '../../../lib/access/trust/principals.ts';
import { registryHere } from '../../support/registry-here.ts';

const here = registryHere();

const wanted = {
  scope: operatorScope,
  issuer: 'https://login.example.com',
  jwksUri: 'https://login.example.com/keys',
  audience: 'bus',
  clientClaim: 'azp',
  insecureLocal: false,
} as const;

const added = (change: Partial<Omit<IdentityProvider, 'createdAt'>>) =>
  addIdentityProvider(here.ports(), { ...wanted, ...change }, 'https://bus.example/v1/oauth');

const malformed = [
  'https:///x',
  'https:/x',
  'https:\\\\x',
  ' https://x',
  'https://x\n',
  'https://a b',
  'ftp://x',
  'http://x',
];

test.each(malformed)('the issuer or key set address %j is refused', async text => {
  const words = `"${text}" is not an https address.`;
  expect(await added({ issuer: text })).toEqual({
    kind: 'declined',
    reason: `The issuer ${words}`,
  });
  expect(await added({ jwksUri: text })).toMatchObject({ reason: `The key set address ${words}` });
});

test.each(['127.0.0.1', '[::1]', 'localhost', 'a.localhost'])(
  'a key set address on %s is refused: it is not on the public internet',
  async host => {
    expect(await added({ jwksUri: `https://${host}/keys` })).toMatchObject({
      kind: 'declined',
      reason: expect.stringContaining('not on the public internet'),
    });
  },
);

test.each([
  'https://login.example.com',
  'https://login.example.com:8443/realms/news?v=2',
  'HTTPS://Login.Example.com/a',
  'https://[2001:db8::1]/x',
])('the issuer %s is registered as it is written', async issuer => {
  expect(await added({ issuer })).toMatchObject({ kind: 'added', provider: { issuer } });
});

test.each(['issuer', 'jwksUri', 'audience'] as const)(
  'an empty or endless %s is refused, and one of 512 characters is not',
  async name => {
    const long = (length: number) => 'https://login.example.com/'.padEnd(length, 'x');
    const reason = 'Issuer, key set address and audience must have 1 to 512 characters.';
    const issuer = `https://${name}.example.com`;
    const addedWith = (text: string) => added({ issuer, [name]: text });
    expect(await addedWith('')).toEqual({ kind: 'declined', reason });
    expect(await addedWith(long(513))).toEqual({ kind: 'declined', reason });
    expect(await addedWith(long(512))).toMatchObject({ kind: 'added' });
  },
);

test('http is allowed where the registration asks for it, and nothing else', async () => {
  const local = {
    issuer: 'http://127.0.0.1:9000',
    jwksUri: 'http://127.0.0.1:9000/keys',
    insecureLocal: true,
  };
  expect(await added(local)).toMatchObject({ kind: 'added' });
  expect(await added({ ...local, issuer: 'ftp://x' })).toMatchObject({ kind: 'declined' });
});

test.each([
  ['no characters', 0, 'The name of a client has 1 to 256 characters.'],
  ['257 characters', 257, 'The name of a client has 1 to 256 characters.'],
  ['256 characters', 256, 'There is no producer caaaaaaaaaaaa, or it is revoked or suspended.'],
])(
  'a client with a name of %s, for a connection that does not exist',
  async (_, length, reason) => {
    const ports = here.ports();
    await addIdentityProvider(ports, wanted, 'https://bus.example/v1/oauth');
    const { scope, issuer } = wanted;
    const binding = { scope, issuer, client: 'd'.repeat(length), connection: 'caaaaaaaaaaaa' };
    expect(await bindClient(ports, binding)).toEqual({ kind: 'declined', reason });
  },
);

test.each(['', '/', '//'])(
  'the bus itself is no outside issuer, with %j after its name',
  async end => {
    const issuer = `https://bus.example/v1/oauth${end}`;
    expect(await added({ issuer })).toEqual({
      kind: 'declined',
      reason: 'The bus itself is the issuer of that name: it cannot be registered.',
    });
  },
);

test('a workspace that does not exist has no issuers', async () => {
  expect(await added({ scope: 'waaaaaaaaaaaa', issuer: 'https://alone.example' })).toEqual({
    kind: 'declined',
    reason: 'There is no active workspace waaaaaaaaaaaa.',
  });
});

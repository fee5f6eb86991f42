import { get } from 'node:http';
import type { Affiliation, Member, Members } from '../../lib/access/people/members.ts';
import { readOneTimeKey } from '../../lib/local/engines/oidc/issuer.ts';
import { openStore } from '../../lib/local/engines/store.ts';
import {
  admitLocalOwner,
  browserHost,
  derivedSecret,
  signInLink,
  startSignIn,
} from '../../lib/local/sign-in.ts';
import { frozenClock } from '../support/identity-fakes.ts';

const operator = { accessKeyId: 'AKIA1', secretAccessKey: 'the secret of a folder' };
const stranger = { accessKeyId: 'AKIA1', secretAccessKey: 'the secret of another folder' };
const portal = 'http://127.0.0.1:8788';
const now = Date.parse('2026-05-04T09:00:00.000Z');

test('each purpose has a secret of its own, which nobody has without the operator key', () => {
  const secrets = [
    derivedSecret(operator, 'one'),
    derivedSecret(operator, 'other'),
    derivedSecret(stranger, 'one'),
  ];
  expect(new Set(secrets).size).toBe(3);
  for (const secret of secrets) expect(secret).toMatch(/^[\w-]{43}$/);
});

test('people sign in at a host that differs for each folder', () => {
  expect(browserHost(operator)).toMatch(/^sombus-[0-9a-f]{12}\.localhost$/);
  expect(browserHost(operator)).toBe(browserHost({ ...operator, accessKeyId: 'AKIA2' }));
  expect(browserHost(operator)).not.toBe(browserHost(stranger));
});

test('a link leads to the portal at that host, with a key for its person and for ten minutes', () => {
  const link = new URL(signInLink(portal, operator, { name: 'maria', now }));
  expect(link.origin + link.pathname).toBe(`http://${browserHost(operator)}:8788/api/sign/in`);
  expect([...link.searchParams.keys()]).toEqual(['key']);
  const key = link.searchParams.get('key') ?? '';
  const read = (later: number, whose = operator) =>
    readOneTimeKey(derivedSecret(whose, 'one-time keys'), key, now + later);
  expect(read(599_999)).toEqual({ name: 'maria', until: now + 600_000 });
  expect(read(600_000)).toBeUndefined();
  expect(read(0, stranger)).toBeUndefined();
});

describe('a provider that the environment names', () => {
  const options = { portal, operator, hosts: [], warn: () => undefined };

  test('is used with all that is given of it', async () => {
    const store = openStore();
    const given = {
      SOMBUS_OIDC_ISSUER: 'https://idp.example',
      SOMBUS_OIDC_CLIENT_ID: 'portal-1',
      SOMBUS_OIDC_CLIENT_SECRET: 'secret-1',
    };
    const { variables, close } = await startSignIn(store, { ...given, PATH: '/bin' }, options);
    expect(variables).toEqual({
      ...given,
      SOMBUS_OIDC_SECRET_NAME: '',
      SOMBUS_OIDC_USER_POOL: '',
      SOMBUS_OIDC_BUILT_IN: '',
    });
    await close();
    await store.close();
  });
});

describe('without one, a provider of this machine', () => {
  const warned: string[] = [];
  const started = async (saved?: () => Promise<void>) => {
    const store = openStore();
    if (saved) jest.spyOn(store, 'saved').mockImplementation(saved);
    const options = {
      portal,
      operator,
      hosts: ['bus.example'],
      warn: (line: string) => void warned.push(line),
    };
    const signIn = await startSignIn(store, {}, options);
    const origin = signIn.variables['SOMBUS_OIDC_ISSUER'] ?? '';
    return {
      ...signIn,
      origin,
      ask: (path: string, host = '127.0.0.1') =>
        new Promise<number | undefined>((resolve, reject) => {
          get(origin + path, { headers: { host }, agent: false }, response => {
            response.resume();
            resolve(response.statusCode);
          }).once('error', reject);
        }),
      async end() {
        await signIn.close();
        await store.close();
      },
    };
  };

  beforeEach(() => {
    warned.splice(0);
  });

  test('is told to the functions with the secret that they share', async () => {
    const { variables, origin, end } = await started();
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d{4,5}$/);
    expect(variables).toEqual({
      SOMBUS_OIDC_ISSUER: origin,
      SOMBUS_OIDC_CLIENT_ID: 'sombus-portal',
      SOMBUS_OIDC_CLIENT_SECRET: derivedSecret(operator, 'portal client'),
      SOMBUS_OIDC_BUILT_IN: 'true',
    });
    await end();
    await expect(fetch(origin)).rejects.toThrow();
  });

  test('answers at this machine’s names and those that are allowed', async () => {
    const { ask, end } = await started();
    const metadata = '/.well-known/openid-configuration';
    expect(await ask(metadata)).toBe(200);
    expect(await ask(metadata, 'bus.example')).toBe(200);
    expect(await ask(metadata, 'evil.example')).toBe(421);
    await end();
    expect(warned).toEqual([]);
  });

  test('answers when what it says is on disk, and tells why it is not', async () => {
    const { ask, end } = await started(async () => {
      throw new Error('The disk is full.');
    });
    expect(await ask('/.well-known/openid-configuration')).toBe(503);
    expect(warned).toEqual(['oidc  The disk is full.']);
    jest.restoreAllMocks();
    await end();
  });

  test('sends a browser to the portal alone, where a sign-in or sign-out ends', async () => {
    const { ask, end } = await started();
    const host = browserHost(operator);
    const statusOf = async (uri: string) =>
      ask(`/logout?${new URLSearchParams({ logout_uri: uri })}`);
    const own = [`http://${host}:8788/`, `http://${host}:8788/api/sign/back?state=a`];
    const others = [
      `https://${host}:8788/`,
      `http://${host}:8789/`,
      `http://${host}/`,
      'http://127.0.0.1:8788/',
      `http://${host}:8788/api/sign/in`,
      'no url',
    ];
    expect(await Promise.all(own.map(statusOf))).toEqual([303, 303]);
    expect(await Promise.all(others.map(statusOf))).toEqual(others.map(() => 400));
    await end();
  });

  test('hands tokens to the functions alone, which know the secret', async () => {
    const { origin, variables, end } = await started();
    const statusOf = async (secret = '') => {
      const basic = Buffer.from(`sombus-portal:${secret}`).toString('base64');
      const headers = { authorization: `Basic ${basic}`, connection: 'close' };
      const response = await fetch(`${origin}/oauth2/token`, { method: 'POST', headers });
      return [response.status, await response.json()];
    };
    expect(await statusOf(variables['SOMBUS_OIDC_CLIENT_SECRET'])).toEqual([
      400,
      { error: 'invalid_grant' },
    ]);
    expect(await statusOf('another')).toEqual([401, { error: 'invalid_client' }]);
    await end();
  });

  test('lets in who holds a key of the link', async () => {
    const { ask, end } = await started();
    const link = new URL(signInLink(portal, operator, { name: 'maria', now: Date.now() }));
    const asked = {
      client_id: 'sombus-portal',
      redirect_uri: `http://${browserHost(operator)}:8788/api/sign/back`,
      response_type: 'code',
      state: 's',
      nonce: 'n',
      code_challenge: 'c',
      code_challenge_method: 'S256',
      login_hint: link.searchParams.get('key') ?? '',
    };
    expect(await ask(`/oauth2/authorize?${new URLSearchParams(asked)}`)).toBe(303);
    await end();
  });
});

describe('the owner of the folder', () => {
  const issuer = 'local';
  const seed = {
    organisation: 'omine',
    workspace: 'w',
    producer: { client_id: 'c', client_secret: 's', system_id: 'y' },
    consumer: { client_id: 'c', client_secret: 's' },
  };
  const admitted = async (affiliation: Affiliation) => {
    const done: unknown[] = [];
    const note = async (...what: unknown[]) => {
      await new Promise(resolve => setImmediate(resolve));
      done.push(what);
    };
    const members = {
      affiliationOf: async (person: object) => {
        await note('asked', person);
        return affiliation;
      },
      put: (member: Member) => note('put', member),
      setOperator: (...set: unknown[]) => note('operator', ...set),
    } as unknown as Members;
    await admitLocalOwner({ clock: frozenClock(now), members }, issuer, seed);
    expect(done.shift()).toEqual(['asked', { issuer, subject: 'owner' }]);
    return done;
  };
  const person = { issuer: 'local', subject: 'owner' };
  const member = {
    ...person,
    organisation: 'omine',
    role: 'owner',
    name: 'owner',
    since: '2026-05-04T09:00:00.000Z',
  };

  test('owns the organisation and operates the bus', async () => {
    expect(await admitted({ roles: [], isOperator: false })).toEqual([
      ['put', member],
      ['operator', person, true],
    ]);
  });

  test('is made neither again', async () => {
    const own = { organisation: 'omine', role: 'viewer' } as const;
    expect(await admitted({ roles: [own], isOperator: true })).toEqual([]);
    expect(await admitted({ roles: [own], isOperator: false })).toEqual([
      ['operator', person, true],
    ]);
    const other = { organisation: 'oother', role: 'owner' } as const;
    expect(await admitted({ roles: [other], isOperator: true })).toEqual([['put', member]]);
  });
});

import type { Env } from '../../lib/wiring/env.ts';
import { portalCallFunction } from '../../lib/wiring/portal.ts';

jest.mock('../../lib/portal/provider.fetch.ts', () => ({
  signInProvider: (settings: object) => settings,
}));

const here = {
  SOMBUS_ENVIRONMENT: 'sandbox',
  SOMBUS_REGISTRY_TABLE: 'registry',
  SOMBUS_OIDC_ISSUER: 'http://127.0.0.1:4000',
  SOMBUS_OIDC_CLIENT_ID: 'portal',
  SOMBUS_OIDC_CLIENT_SECRET: 'secret',
  SOMBUS_LOCAL_SERVICE: 'true',
};

describe('who signs people in to the portal', () => {
  test.each<[string, Env, object]>([
    [
      'the local service itself, under a name that outlives its port',
      { ...here, SOMBUS_OIDC_BUILT_IN: 'true' },
      { issuer: here.SOMBUS_OIDC_ISSUER, name: 'local', insecure: true },
    ],
    [
      'another issuer of this machine',
      here,
      { issuer: here.SOMBUS_OIDC_ISSUER, name: here.SOMBUS_OIDC_ISSUER, insecure: true },
    ],
    [
      'an issuer elsewhere, for the local service too by https alone',
      { ...here, SOMBUS_OIDC_ISSUER: 'https://idp.example' },
      { issuer: 'https://idp.example', name: 'https://idp.example', insecure: false },
    ],
    [
      'nothing of the function’s own machine',
      { ...here, SOMBUS_LOCAL_SERVICE: undefined },
      { issuer: here.SOMBUS_OIDC_ISSUER, name: here.SOMBUS_OIDC_ISSUER, insecure: false },
    ],
  ])('%s', async (_, env, expected) => {
    const client = { id: 'portal', secret: expect.any(Function) };
    expect(portalCallFunction.ports.provider(env)).toEqual({ ...expected, client });
  });
});

describe('who is invited gets an account', () => {
  const pool = { SOMBUS_OIDC_USER_POOL: 'pool', SOMBUS_LOCAL_SERVICE: undefined };
  test.each<[string, Env, boolean]>([
    ['where nobody may sign up', { ...here, ...pool, SOMBUS_ENVIRONMENT: 'preview' }, true],
    ['but where people sign up themselves', { ...here, ...pool }, false],
    ['but of another issuer', { ...here, SOMBUS_ENVIRONMENT: 'preview' }, false],
  ])('%s', (_, env, isOn) => {
    expect(portalCallFunction.ports.accounts(env).isOn).toBe(isOn);
  });
});

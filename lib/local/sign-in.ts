import { createHmac, randomUUID } from 'node:crypto';
import { addMember, type Members } from '../access/people/members.ts';
import { signInVars } from '../contract/environments.ts';
import { limits } from '../contract/limits.ts';
import type { Clock } from '../contract/outside.ts';
import { errorMessage, systemClock } from './engines/machine.ts';
import { Issuer, writeOneTimeKey } from './engines/oidc/issuer.ts';
import { startIssuer } from './engines/oidc/server.ts';
import type { Store } from './engines/store.ts';
import type { Seed } from './seed.ts';
import type { SigV4Key } from './sigv4.ts';

export const localOwner = 'owner';

const clientId = 'sombus-portal';

export const derivedSecret = ({ secretAccessKey }: SigV4Key, purpose: string): string =>
  createHmac('sha256', secretAccessKey).update(`sombus ${purpose}`).digest('base64url');

/**
 * The only host at which people sign in, different for each data folder. Cookies ignore ports: at a
 * host that others can guess, a server of another user on this machine would get them.
 */
export const browserHost = (operator: SigV4Key): string => {
  const secret = Buffer.from(derivedSecret(operator, 'portal host'), 'base64url');
  return `sombus-${secret.toString('hex').slice(0, 12)}.localhost`;
};

const keySecret = (operator: SigV4Key): string => derivedSecret(operator, 'one-time keys');

/** A link that signs one local person in, once, within ten minutes. */
export const signInLink = (
  portal: string,
  operator: SigV4Key,
  { name, now }: { name: string; now: number },
): string => {
  const url = new URL('/api/sign/in', portal);
  url.hostname = browserHost(operator);
  const until = now + limits.signInSeconds * 1000;
  url.searchParams.set('key', writeOneTimeKey(keySecret(operator), { name, until }));
  return url.href;
};

interface SignInOptions {
  readonly portal: string;
  readonly operator: SigV4Key;
  readonly hosts: readonly string[];
  warn(line: string): void;
}

/**
 * Whether a browser may be sent to a URL: to the portal, at its host for browsers, where a sign-in
 * or sign-out ends.
 */
const isPortalUrl =
  ({ portal, operator }: SignInOptions) =>
  (text: string): boolean => {
    if (!URL.canParse(text)) return false;
    const { protocol, hostname, port, pathname } = new URL(text);
    return (
      protocol === 'http:' &&
      port === new URL(portal).port &&
      hostname === browserHost(operator) &&
      ['/', '/api/sign/back'].includes(pathname)
    );
  };

/**
 * The provider that the environment names, with the portal's registration there; otherwise one of
 * our own.
 */
export const startSignIn = async (
  store: Store,
  env: Readonly<Record<string, string | undefined>>,
  options: SignInOptions,
): Promise<{ variables: Readonly<Record<string, string>>; close(): Promise<void> }> => {
  const named = env[signInVars.issuer];
  if (named) {
    const given = Object.values(signInVars).map(name => [name, env[name] ?? '']);
    return { variables: Object.fromEntries(given), close: async () => undefined };
  }
  const secret = derivedSecret(options.operator, 'portal client');
  const issuer = new Issuer(store, {
    clock: systemClock,
    newId: randomUUID,
    client: { id: clientId, secret },
    keySecret: keySecret(options.operator),
    isRedirectUri: isPortalUrl(options),
  });
  const running = await startIssuer(issuer, {
    port: 0,
    hosts: options.hosts,
    beforeResponse: () => store.saved(),
    onError: error => options.warn(`oidc  ${errorMessage(error)}`),
  });
  const variables = {
    [signInVars.issuer]: running.origin,
    [signInVars.clientId]: clientId,
    [signInVars.clientSecret]: secret,
    [signInVars.builtIn]: 'true',
  };
  return { variables, close: () => running.close() };
};

export const admitLocalOwner = async (
  ports: { clock: Clock; members: Members },
  issuer: string,
  { organisation }: Seed,
): Promise<void> => {
  const person = { issuer, subject: localOwner };
  const { roles, isOperator } = await ports.members.affiliationOf(person);
  if (!roles.some(one => one.organisation === organisation))
    await addMember(ports, { ...person, organisation, role: 'owner', name: localOwner });
  if (!isOperator) await ports.members.setOperator(person, true);
};

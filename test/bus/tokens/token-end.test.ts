import { authenticate } from '../../../lib/bus/tokens/authenticate.ts';
import { authoriser } from '../../../lib/bus/tokens/authoriser.http.ts';
import { cachedAuthoriser } from '../../../lib/local/authorise.ts';
import { withoutEndedCaller } from '../../../lib/platform/http/request.ts';
import {
  frozenClock,
  keySetsOf,
  oneConnection,
  registryOf,
  signerOf,
} from '../../support/identity-fakes.ts';
import { authoriserEvent, proxyEvent } from '../../support/proxy-event.ts';
import { claims, connection, header, now, origin, token } from './tokens.ts';

const end = claims.exp * 1000;

/**
 * Whether a request is served whose gateway first asked for the token `asked` ms after its `exp`,
 * and `later` ms before.
 */
const isServed = async (asked: number, later: number, form: (context: object) => object) => {
  const clock = frozenClock(now);
  const registry = registryOf(oneConnection(connection));
  const identify = authenticate(
    { clock, registry, signer: signerOf(), keySets: keySetsOf() },
    origin,
  );
  const authorise = authoriser(identify, { clock, identityRefusals: { note: jest.fn() } });
  const gateway = cachedAuthoriser(authorise, () => clock.now());
  const event = authoriserEvent({ headers: { Authorization: `Bearer ${token(header, claims)}` } });
  clock.advance(end - now + asked);
  await gateway(event);
  clock.advance(later);
  const authorisation = await gateway(event);
  if (authorisation.kind !== 'allowed') return false;
  const authorizer = form(authorisation.caller.context ?? {}) as Record<string, string>;
  const event0 = proxyEvent({ requestContext: { authorizer } });
  const served = withoutEndedCaller(event0, clock.now());
  const { authorizer: _, ...rest } = event0.requestContext;
  expect(served).toMatchObject({ ...event0, requestContext: rest });
  return served.requestContext.authorizer !== null;
};

/** API Gateway makes texts of what the authoriser says; the local gateway does not. */
const asTexts = (context: object) =>
  Object.fromEntries(Object.entries(context).map(([name, value]) => [name, `${value}`]));

describe.each([
  ['API Gateway', asTexts],
  ['the local gateway', (context: object) => context],
])('behind %s, a token is served until five seconds after its exp', (_gateway, form) => {
  test.each([
    [-1_000, 1, true],
    [4_999, 0, true],
    [5_000, 0, false],
    // The gateway still has what it was told seconds ago.
    [4_000, 999, true],
    [4_000, 1_000, false],
    [-3_000, 8_000, false],
    [4_999, 9_000, false],
  ])('asked %i ms after exp, and used %i ms later: %s', async (asked, later, expected) => {
    expect(await isServed(asked, later, form)).toBe(expected);
  });
});

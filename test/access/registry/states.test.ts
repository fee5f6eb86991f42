import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type Connection, hashSecret } from '../../../lib/access/registry/connection.ts';
import type { Registry } from '../../../lib/access/registry/registry.ts';
import { revokeSecret, rotateSecret } from '../../../lib/access/registry/secrets.ts';
import { workspaceBearer } from '../../../lib/access/trust/admission.http.ts';
import { pullEdge } from '../../../lib/bus/consuming/pull.http.ts';
import type { Ledger, Log } from '../../../lib/bus/delivery/log.ts';
import type { Queues } from '../../../lib/bus/delivery/queues.ts';
import { publishEdge } from '../../../lib/bus/publishing/publish.http.ts';
import { authenticate } from '../../../lib/bus/tokens/authenticate.ts';
import { issueToken } from '../../../lib/bus/tokens/issue-token.ts';
import { runAudience } from '../../../lib/checks/run-audience.http.ts';
import { refuse } from '../../../lib/contract/refusals.ts';
import type { RuleId } from '../../../lib/contract/rules.ts';
import { respond } from '../../../lib/platform/http/respond.ts';
import { type HttpResponse, refusalResponse } from '../../../lib/platform/http/response.ts';
import { pullPorts } from '../../bus/consuming/pull-ports.ts';
import { claims, connection, header, now, origin, token } from '../../bus/tokens/tokens.ts';
import { recorderInMemory } from '../../support/fakes/recorder.ts';
import { registryOver } from '../../support/fakes/registry.ts';
import { noTestRuns } from '../../support/fakes/test-runs.ts';
import { unused } from '../../support/fakes/unused.ts';
import {
  frozenClock,
  keySetsOf,
  signerOf,
  uncounted,
  unrecorded,
} from '../../support/identity-fakes.ts';
import { type Changes, proxyEvent } from '../../support/proxy-event.ts';
import { registryHere } from '../../support/registry-here.ts';
import { settled } from '../../support/running-registry.ts';

const here = registryHere();
const firstSecret = 'sbs_first';
const overlapSeconds = 600;

/**
 * One connection from the operator's commands to a publish, on a clock that is moved. Nothing is
 * cached.
 */
const bus = async (changes: Partial<Connection> = {}) => {
  const clock = frozenClock();
  const ports = { ...here.ports(), clock };
  const credential = {
    version: 1,
    current: { hash: hashSecret(firstSecret), issuedAt: '2026-05-04T08:00:00.000Z' },
  };
  const change = (now: Partial<Connection>) => here.keep({ ...connection, ...now }, credential);
  await change(changes);
  const signer = signerOf();
  const registry = here.registry();
  const tokenOf = async (clientSecret: string): Promise<string | undefined> => {
    const counting = { tokenRequests: uncounted, recorder: unrecorded, testRuns: noTestRuns };
    const issue = issueToken(
      { ...counting, clock, ids: ports.ids, credentials: ports.connections, signer },
      origin,
    );
    const result = await issue({ clientId: connection.id, clientSecret, counted: true });
    return result.kind === 'issued' ? result.accessToken : undefined;
  };
  const identify = authenticate({ clock, registry, signer, keySets: keySetsOf() }, origin);
  const publishWith = async (
    text: string | undefined,
    more: Changes<APIGatewayProxyEvent> = {},
    known: Registry = registry,
  ) => {
    const caller = await identify({ authorization: text && `Bearer ${text}`, issuers: undefined });
    if (!caller) return refusalResponse(refuse('producer.unauthenticated'));
    const stores = {
      ledger: unused<Ledger>('the ledger'),
      log: unused<Log>('the log'),
      queues: unused<Queues>('the queues'),
      recorder: recorderInMemory().port,
      audience: runAudience({ clock, testRuns: noTestRuns }),
    };
    const edge = publishEdge(
      { clock, ids: ports.ids, registry: known, ...stores },
      workspaceBearer,
    );
    const log = { answered: () => undefined, failed: () => undefined };
    const handler = respond('publish', edge, { log, now: () => 0 });
    const result = await handler(
      proxyEvent({
        headers: { 'content-type': 'application/json' },
        body: '{}',
        pathParameters: { t: connection.workspace },
        requestContext: {
          requestId: 'request-1',
          authorizer: { ...caller, validUntil: `${caller.validUntil}` },
        },
        ...more,
      }),
    );
    return {
      status: result.statusCode,
      headers: result.headers ?? {},
      body: JSON.parse(result.body),
      log: {},
    } as HttpResponse;
  };
  const stored = () => ports.connections.find(connection.id);
  return { clock, ports, stored, change, tokenOf, publishWith, registry };
};

const ruleOf = ({ body }: HttpResponse): string =>
  (body as { violations: { rule: string }[] }).violations[0]?.rule ?? '';
/** The message of these tests is an empty object: a publish that came that far gets 400 for it. */
const judged = 'envelope.required';

describe('a credential at version N', () => {
  test('goes to N+1 with a rotation: tokens from before stop, and the previous secret works for its overlap', async () => {
    const { clock, ports, tokenOf, publishWith } = await bus();
    const before = await tokenOf(firstSecret);
    expect(ruleOf(await publishWith(before))).toBe(judged);
    const rotated = settled(await rotateSecret(ports, connection.id, { overlapSeconds }));
    expect(rotated.connection.credentialVersion).toBe(2);
    expect(ruleOf(await publishWith(before))).toBe('producer.unauthenticated');
    for (const secret of [firstSecret, rotated.clientSecret])
      expect(ruleOf(await publishWith(await tokenOf(secret)))).toBe(judged);
    clock.advance(overlapSeconds * 1000);
    expect(await tokenOf(firstSecret)).toBeUndefined();
    expect(await tokenOf(rotated.clientSecret)).toBeDefined();
  });

  test('is not changed by a second rotation inside the overlap, which would break the promise of the first', async () => {
    const { clock, ports, tokenOf } = await bus();
    await rotateSecret(ports, connection.id, { overlapSeconds });
    for (const next of [overlapSeconds, 0]) {
      const second = await rotateSecret(ports, connection.id, { overlapSeconds: next });
      expect(second).toEqual({ kind: 'declined', reason: expect.any(String), canForce: true });
    }
    clock.advance(overlapSeconds * 1000 - 1);
    expect(await tokenOf(firstSecret)).toBeDefined();
    const early = await rotateSecret(ports, connection.id, { overlapSeconds });
    expect(early.kind).toBe('declined');
    clock.advance(1);
    const late = await rotateSecret(ports, connection.id, { overlapSeconds });
    expect(late).toMatchObject({ kind: 'issued', connection: { credentialVersion: 3 } });
  });

  test.each([
    [0, 0, 'undefined'],
    [1, 999, 'string'],
    [1, 1_000, 'undefined'],
  ])(
    'with an overlap of %i s, the old secret after %i ms gets: %s',
    async (seconds, later, token) => {
      const { clock, ports, tokenOf, stored } = await bus();
      await rotateSecret(ports, connection.id, { overlapSeconds: seconds });
      expect((await stored())?.credential.previous !== undefined).toBe(seconds > 0);
      clock.advance(later);
      expect(typeof (await tokenOf(firstSecret))).toBe(token);
    },
  );

  test('keeps no previous secret if the overlap is 0 s, and never one older than the previous', async () => {
    const { ports, tokenOf } = await bus();
    const second = settled(
      await rotateSecret(ports, connection.id, { overlapSeconds }),
    ).clientSecret;
    await rotateSecret(ports, connection.id, { overlapSeconds, force: true });
    expect(await tokenOf(firstSecret)).toBeUndefined();
    expect(await tokenOf(second)).toBeDefined();
    await rotateSecret(ports, connection.id, { overlapSeconds: 0, force: true });
    expect(await tokenOf(second)).toBeUndefined();
  });

  test.each([
    ['previous', false, true],
    ['current', true, false],
    ['all', false, false],
  ] as const)(
    'goes to N+1 when the %s secret is revoked, and tokens from before stop',
    async (which, old, latest) => {
      const { ports, tokenOf, publishWith, stored } = await bus();
      const secret = settled(
        await rotateSecret(ports, connection.id, { overlapSeconds }),
      ).clientSecret;
      const before = await tokenOf(secret);
      await revokeSecret(ports, connection.id, { which });
      expect((await stored())?.connection.credentialVersion).toBe(3);
      expect(ruleOf(await publishWith(before))).toBe('producer.unauthenticated');
      expect(
        [await tokenOf(firstSecret), await tokenOf(secret)].map(text => text !== undefined),
      ).toEqual([old, latest]);
    },
  );
});

const signed = (change: object = {}) => token(header, { ...claims, ...change });
const failing: Registry = {
  ...registryOver({ connections: () => [] }),
  connection: async () => {
    throw new Error('The table is gone.');
  },
};

describe('every row of the workspace route errors', () => {
  type World = Awaited<ReturnType<typeof bus>>;
  const pulledFrom =
    (c: string) =>
    ({ registry }: World) =>
      pullEdge(
        { ...pullPorts([]).ports, registry },
        { origin },
      )({
        requestId: '',
        headers: {},
        pathParameters: { t: connection.workspace, c },
        query: {},
        body: new Uint8Array(),
        caller: { connection: connection.id, workspace: connection.workspace },
      });
  const pulled = pulledFrom(connection.id);
  type Ask = (world: World) => Promise<HttpResponse>;
  const sent =
    (...publish: Parameters<World['publishWith']>): Ask =>
    world =>
      world.publishWith(...publish);
  const changed =
    (change: Partial<Connection>, ask: Ask = sent(signed())): Ask =>
    async world => {
      await world.change(change);
      return ask(world);
    };
  const unauthenticated = [401, 'producer.unauthenticated'] as const;
  const notRegistered = [403, 'producer.not_registered'] as const;
  const rows: [number, RuleId, string, Ask][] = [
    [...unauthenticated, 'token missing', sent(undefined)],
    [...unauthenticated, 'token invalid', sent(`${signed()}x`)],
    [...notRegistered, "a consumer's token on a publish route", changed({ kind: 'consumer' })],
    [...notRegistered, "a producer's token on a pull route", pulled],
    [
      ...notRegistered,
      "a pull of another's queue",
      changed({ kind: 'consumer' }, pulledFrom('cbbbbbbbbbbbb')),
    ],
    [413, 'message.too_large', 'over 240,000 bytes', sent(signed(), { body: ' '.repeat(240_001) })],
    [503, 'registry.unavailable', 'permissions that cannot be read', sent(signed(), {}, failing)],
  ];

  test.each(rows)('%i %s: %s', async (status, rule, _, ask) => {
    const response = await ask(await bus());
    expect(response.status).toBe(status);
    expect(response.body).toEqual({
      accepted: false,
      violations: [{ source: 'policy', rule, message: expect.any(String) }],
    });
    expect(response.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
  });

  test('tenant.mismatch answers the URL of another workspace', async () => {
    const response = await (await bus()).publishWith(signed(), {
      pathParameters: { t: 'wbbbbbbbbbbbb' },
    });
    expect([response.status, ruleOf(response)]).toEqual([403, 'tenant.mismatch']);
  });

  test('the token that the rows start from is accepted', async () => {
    expect(now / 1000).toBe(claims.iat);
    expect(ruleOf(await (await bus()).publishWith(signed()))).toBe(judged);
  });
});

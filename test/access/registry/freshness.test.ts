import { marshall } from '@aws-sdk/util-dynamodb';
import type { Connection } from '../../../lib/access/registry/connection.ts';
import { connectionItem } from '../../../lib/access/registry/items.dynamodb.ts';
import { awsRegistry } from '../../../lib/access/registry/registry.dynamodb.ts';
import { admit } from '../../../lib/access/registry/registry.ts';
import { authenticate } from '../../../lib/bus/tokens/authenticate.ts';
import { cachedAuthoriser } from '../../../lib/local/authorise.ts';
import type { Table } from '../../../lib/platform/aws/table.ts';
import { claims, connection, header, origin, token } from '../../bus/tokens/tokens.ts';
import { tableAnswering } from '../../support/fakes/aws-clients.ts';
import { frozenClock, keySetsOf, signerOf } from '../../support/identity-fakes.ts';
import { authoriserEvent } from '../../support/proxy-event.ts';

/** A table that holds one connection; every read is fresh. */
const tableOf = (stored: { connection: Connection | undefined }): Table =>
  tableAnswering(async () =>
    stored.connection ? { Item: marshall(connectionItem(stored.connection)) } : {},
  );

const authorization = `Bearer ${token(header, claims)}`;

/**
 * The whole way of a request, cache behind cache: API Gateway's, the authoriser's and the
 * handler's.
 */
const way = () => {
  const clock = frozenClock();
  const stored: { connection: Connection | undefined } = { connection };
  const table = tableOf(stored);
  const ports = {
    clock,
    registry: awsRegistry(table, clock),
    signer: signerOf(),
    keySets: keySetsOf(),
  };
  const authenticated = authenticate(ports, origin);
  const identify = (header: string) => authenticated({ authorization: header, issuers: undefined });
  const handlerRegistry = awsRegistry(table, clock);
  const authoriser = async () => {
    const caller = await identify(authorization);
    if (!caller) throw new Error('Unauthorized');
    return {
      principalId: '',
      policyDocument: { Version: '', Statement: [] },
      context: { ...caller },
    };
  };
  const gateway = cachedAuthoriser(authoriser, clock.now);
  return {
    clock,
    stored,
    /** Fills the authoriser's cache of the registry without the gateway's. */
    fillAuthoriser: () => identify(authorization),
    fillHandler: () => handlerRegistry.connection(connection.id),
    async response(): Promise<string> {
      const authorisation = await gateway(authoriserEvent({ headers: { authorization } }));
      if (authorisation.kind !== 'allowed') return authorisation.kind;
      const caller = authorisation.caller.context as { connection: string; workspace: string };
      const admission = await admit(handlerRegistry, caller, {
        workspace: connection.workspace,
        kind: 'producer',
      });
      return admission.kind === 'refused'
        ? admission.violations[0].rule
        : admission.connection.grants.join();
    },
  };
};

const step = 1_000;

/**
 * For every time at which the caches may have been filled: the longest, in milliseconds, that the
 * old response was given.
 */
const longest = async (change: Partial<Connection> | undefined): Promise<number> => {
  let worst = 0;
  for (let authoriserAge = 0; authoriserAge <= 10_000; authoriserAge += step) {
    for (let handlerAge = 0; handlerAge <= 10_000; handlerAge += 2 * step) {
      const { clock, stored, fillAuthoriser, fillHandler, response } = way();
      const last = Math.max(authoriserAge, handlerAge);
      for (let before = last; before >= 0; before -= step) {
        if (before === authoriserAge) await fillAuthoriser();
        if (before === handlerAge) await fillHandler();
        clock.advance(step);
      }
      stored.connection = change && { ...connection, ...change };
      // The gateway's cache is filled at the last moment at which the authoriser's still holds.
      for (let since = 0; since < 40_000; since += step) {
        const late = since >= 10_000 - 2 * step - authoriserAge;
        if (late && (await response()) === '*') worst = Math.max(worst, since);
        clock.advance(step);
      }
    }
  }
  return worst;
};

describe('a change takes effect within 30 seconds, despite the caches', () => {
  test.each<[string, Partial<Connection> | undefined]>([
    ['a revocation', { status: 'revoked' }],
    ['a removal', undefined],
    ['a change of permissions', { grants: [] }],
    ['a rotation of the secret', { credentialVersion: 2 }],
    ['a move to another workspace', { workspace: 'wbbbbbbbbbbbb' }],
  ])('%s', async (_, change) => {
    expect(await longest(change)).toBeLessThanOrEqual(30_000);
  });

  test('the caches add up to 20 seconds: the registry remembered in the authoriser, then its response in the gateway', async () => {
    const worst = await longest({ credentialVersion: 2 });
    expect(worst).toBeGreaterThan(15_000);
    expect(worst).toBeLessThan(20_000);
  });
});

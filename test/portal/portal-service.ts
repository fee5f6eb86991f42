import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { signInVars } from '../../lib/contract/environments.ts';
import { limits } from '../../lib/contract/limits.ts';
import {
  type PortalCall,
  type PortalCallId,
  portalCalls,
} from '../../lib/contract/portal/portal.ts';
import { type EngineClock, systemClock } from '../../lib/local/engines/machine.ts';
import { type LocalEnv, localEnv, localTables } from '../../lib/local/env.ts';
import { provision } from '../../lib/local/provision.ts';
import {
  clientConfig,
  clientOf,
  type InProcessService,
  type SendCommand,
  serveInProcess,
} from '../../lib/platform/aws/clients.ts';
import type { Table } from '../../lib/platform/aws/table.ts';
import { awsSessions } from '../../lib/portal/session.dynamodb.ts';
import { type Person, sessionHash } from '../../lib/portal/session.ts';
import { lambda } from '../../lib/wiring/function.ts';
import { portalCallFunction } from '../../lib/wiring/portal.ts';
import { startLocalAws } from '../support/local-aws.ts';
import { proxyEvent } from '../support/proxy-event.ts';

/** What the functions of the portal are asked, and what they ask of AWS meanwhile. */
export interface PortalService {
  readonly env: LocalEnv;
  readonly tables: Readonly<Record<'registry' | 'ledger' | 'activity', Table>>;
  /** Of the last call: pages of tables, by the table, and looks at queues. */
  readonly asked: ReadonlyMap<string, number>;
  readonly errors: unknown[];
  call(id: PortalCallId, request: PortalRequest): Promise<PortalResponse>;
  close(): Promise<void>;
}

interface PortalRequest {
  readonly person: Person;
  /** For the names in the path. */
  readonly subject: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** A text is posted as it is. */
  readonly body?: object | string;
  readonly gone?: AbortSignal;
  /** Called before each command that is counted. */
  readonly onAsked?: (what: string) => unknown;
}

interface PortalResponse {
  readonly status: number;
  readonly bytes: number;
  readonly body: Record<string, unknown>;
}

type Note = (what: string) => void;

/** Counts pages of tables and looks at queues. */
const counting = (services: Partial<Record<InProcessService, SendCommand>>, note: Note) =>
  Object.fromEntries(
    Object.entries(services).map(([name, send]) => [
      name,
      (command: object, options?: Parameters<SendCommand>[1]) => {
        const { input } = command as { readonly input: { readonly TableName?: string } };
        if (command.constructor.name === 'QueryCommand') note(input.TableName ?? '');
        if (command.constructor.name === 'GetQueueAttributesCommand') note('queues');
        return send(command, options);
      },
    ]),
  );

/**
 * The cookie of a person for a call. To start a session takes as long as a call: each serves as
 * many calls as it may make at once, or until it is ended.
 */
const cookiesWith = (start: (person: Person) => Promise<string>) => {
  const open = new Map<string, { readonly cookie: Promise<string>; left: number }>();
  return (person: Person, id: PortalCallId): Promise<string> => {
    const name = JSON.stringify(person);
    const known = open.get(name);
    const session = known ?? { cookie: start(person), left: limits.sessionRequests.burst };
    session.left -= 1;
    if (session.left === 0 || id === 'sign.out') open.delete(name);
    else open.set(name, session);
    return session.cookie;
  };
};

interface PortalOptions {
  readonly clock?: EngineClock;
  /** More variables of the function. */
  readonly more?: Readonly<Record<string, string>>;
}

/** The portal's calls in this process, on empty tables. */
export const startPortal = async ({
  clock = systemClock,
  more = {},
}: PortalOptions = {}): Promise<PortalService> => {
  const aws = await startLocalAws(clock);
  const env = {
    ...localEnv('http://127.0.0.1', aws.endpoints),
    [signInVars.issuer]: 'http://127.0.0.1',
    [signInVars.clientId]: 'portal',
    [signInVars.clientSecret]: 'secret',
    ...more,
  };
  const asked = new Map<string, number>();
  const errors: unknown[] = [];
  let listener: PortalRequest['onAsked'];
  const note: Note = what => {
    asked.set(what, (asked.get(what) ?? 0) + 1);
    listener?.(what);
  };
  serveInProcess(env, counting(aws.inProcess, note));
  await provision(env);
  const client = clientOf(env, 'DYNAMODB', new DynamoDBClient(clientConfig(env, 'DYNAMODB')));
  const table = (name: keyof typeof localTables) => ({ client, name: localTables[name] });
  const sessions = awsSessions(table('sessions'));
  const cookieOf = cookiesWith(async person => {
    const id = randomBytes(32).toString('base64url');
    await sessions.create(sessionHash(id) ?? '', {
      person,
      createdAt: Date.now(),
      endsAt: Number.MAX_SAFE_INTEGER,
    });
    return `sombus-session=${id}`;
  });
  const log = { answered: () => undefined, failed: (error: unknown) => void errors.push(error) };
  const handler = lambda(portalCallFunction, env, log);
  return {
    env,
    tables: { registry: table('registry'), ledger: table('ledger'), activity: table('activity') },
    asked,
    errors,
    close: () => aws.close(),
    async call(id, { person, subject, query = {}, body: posted, gone, onAsked }) {
      const { path, method }: PortalCall = portalCalls[id];
      const event = proxyEvent({
        httpMethod: method,
        headers: {
          cookie: await cookieOf(person, id),
          host: '127.0.0.1',
          ...(method === 'POST'
            ? {
                origin: 'http://127.0.0.1',
                'x-sombus-portal': '1',
                'content-type': 'application/json',
              }
            : {}),
        },
        ...(posted === undefined
          ? {}
          : { body: typeof posted === 'string' ? posted : JSON.stringify(posted) }),
        pathParameters: {
          proxy: path.replace(/\{(\w)\}/g, (_, name: string) => subject[name] ?? ''),
        },
        queryStringParameters: { ...query },
      });
      asked.clear();
      listener = onAsked;
      const response = await handler({
        ...event,
        ...(gone ? { gone } : {}),
      } as APIGatewayProxyEvent);
      listener = undefined;
      const { statusCode, body } = response;
      return { status: statusCode, bytes: Buffer.byteLength(body), body: JSON.parse(body || '{}') };
    },
  };
};

import { routes } from '../../lib/contract/routes.ts';
import { handlers } from '../../lib/local/functions.ts';
import { suspendOrganisation } from '../../lib/registry/approval.ts';
import { registerPrincipal } from '../../lib/registry/register-principal.ts';
import { revokeConnection } from '../../lib/registry/revoking.ts';
import { registryPorts } from '../../lib/wiring/operator.ts';
import { proxyEvent } from '../support/proxy-event.ts';
import { settled } from '../support/running-registry.ts';
import { type Called, type Scene, sceneOf } from './guest-scene.ts';
import { type PortalService, startPortal } from './portal-service.ts';

// Every route of the bus that a connection calls, when it is paused or revoked, or its organisation or the house of its workspace suspended.

interface Row {
  readonly by: 'producer' | 'consumer';
  /** Its status while the connection is active: what the bus says of a body that is not one. */
  readonly active: number;
  readonly paused: number;
  readonly body?: string;
}

const publishes: Row = { by: 'producer', active: 400, paused: 403 };
const settles: Row = { by: 'consumer', active: 400, paused: 400 };
const looks: Row = { by: 'consumer', active: 200, paused: 200 };
const unknown: Row = { by: 'consumer', active: 404, paused: 404 };

const rows: Readonly<Record<Called, Row>> = {
  token: { by: 'producer', active: 200, paused: 200 },
  publish: publishes,
  validate: publishes,
  'iam-publish': publishes,
  'iam-validate': publishes,
  'jwt-publish': publishes,
  'operator-publish': publishes,
  'verify-principal': { by: 'producer', active: 200, paused: 200 },
  pull: looks,
  ack: settles,
  nack: settles,
  message: unknown,
  backlog: looks,
  registrations: looks,
  'check-start': { by: 'consumer', active: 201, paused: 409, body: '{"kind":"consumer"}' },
  'check-list': looks,
  'check-report': unknown,
  'check-stop': unknown,
};

let portal: PortalService;
let serve: ReturnType<typeof handlers>;
beforeAll(async () => {
  portal = await startPortal();
  serve = handlers(portal.env, () => ({ answered: () => undefined, failed: () => undefined }), false);
});
afterAll(() => portal.close());

const account = '111122223333';
const roleOf = ({ workspace }: Scene) => `arn:aws:iam::${account}:role/${workspace}`;
const signerOf = ({ workspace }: Scene) => `arn:aws:sts::${account}:assumed-role/${workspace}/session`;

const call = async (id: Called, scene: Scene, body: string): Promise<number> => {
  const {
    consumer,
    workspace,
    producers: [producer = ''],
    secrets,
  } = scene;
  const connection = rows[id].by === 'producer' ? producer : consumer;
  const isSigned = routes[id].auth === 'sigv4';
  const form = `grant_type=client_credentials&client_id=${connection}&client_secret=${secrets.get(connection)}`;
  const { statusCode } = await serve[id](
    proxyEvent({
      httpMethod: routes[id].method,
      headers: { 'content-type': id === 'token' ? 'application/x-www-form-urlencoded' : 'application/json' },
      body: id === 'token' ? form : body,
      pathParameters: { t: workspace, c: consumer, m: 'none', r: 'none' },
      requestContext: {
        ...(isSigned ? {} : { authorizer: { connection, workspace } }),
        identity: {
          ...proxyEvent({}).requestContext.identity,
          ...(isSigned ? { userArn: signerOf(scene) } : {}),
        },
      },
    }),
  );
  return statusCode;
};

const refusedAs = (id: Called): number => (id === 'token' ? 401 : 403);

const stops = {
  'its organisation is suspended': ({ guest }: Scene) =>
    suspendOrganisation(registryPorts(portal.env), guest),
  'the house of its workspace is suspended': ({ house }: Scene) =>
    suspendOrganisation(registryPorts(portal.env), house),
  'it is revoked': (_: Scene, c: string) => revokeConnection(registryPorts(portal.env), c),
  'it is paused': (_: Scene, c: string) => registryPorts(portal.env).connections.setPaused(c, true, 'guest'),
  'it is active': async () => undefined,
} as const;

test.each(Object.keys(rows) as Called[])(
  '%s, called by a connection that is stopped in any way',
  async id => {
    const ports = registryPorts(portal.env);
    for (const [how, stop] of Object.entries(stops)) {
      const scene = await sceneOf(portal.env);
      const [producer = ''] = scene.producers;
      const scope = id === 'operator-publish' ? 'operator' : scene.workspace;
      const registered = settled(
        await registerPrincipal(ports, scope, { connection: producer, roleArn: roleOf(scene) }),
      );
      const proof = JSON.stringify({ connection_id: producer, challenge: registered.challenge });
      if (id.startsWith('iam')) expect(await call('verify-principal', scene, proof)).toBe(200);
      await stop(scene, rows[id].by === 'producer' ? producer : scene.consumer);
      const status = await call(id, scene, id === 'verify-principal' ? proof : (rows[id].body ?? '{}'));
      const { active, paused } = rows[id];
      const expected = { 'it is active': active, 'it is paused': paused }[how] ?? refusedAs(id);
      expect([how, status]).toEqual([how, expected]);
    }
  },
);

import { randomUUID } from 'node:crypto';
import { suspendOrganisation } from '../../lib/access/people/approval.ts';
import { personKey } from '../../lib/access/people/members.ts';
import { revokeConnection, revokeParty } from '../../lib/access/registry/revoking.ts';
import { registerPrincipal } from '../../lib/access/trust/register-principal.ts';
import { storyItem } from '../../lib/bus/delivery/ledger-items.dynamodb.ts';
import type { PortalCallId } from '../../lib/contract/portal/portal.ts';
import { routes } from '../../lib/contract/routes.ts';
import { handlers } from '../../lib/local/functions.ts';
import { batchPut } from '../../lib/platform/aws/many-items.ts';
import { storyStateOf } from '../../lib/som/stories/sequence-rules.ts';
import { operatorPorts } from '../../lib/wiring/operator.ts';
import { proxyEvent } from '../support/proxy-event.ts';
import { settled } from '../support/running-registry.ts';
import {
  type Called,
  type Changing,
  instance,
  issuer,
  range,
  type Scene,
  sceneOf,
  terms,
  type Who,
} from './guest-scene.ts';
import { type PortalService, startPortal } from './portal-service.ts';

// Every call that may change something, by people of an organisation that is suspended or closed,
// and about connections that are paused or revoked.

interface Request {
  readonly subject?: Readonly<Record<string, string>>;
  readonly body?: object;
}

type Ask = (id: PortalCallId, by: Who, request?: Request) => ReturnType<PortalService['call']>;
type Prepare = (scene: Scene & { readonly ask: Ask }) => Request | Promise<Request>;

/**
 * The status of the response while the caller's organisation is suspended, after it was closed,
 * while the house is suspended…
 */
type Told = Readonly<
  Record<'suspended' | 'closed' | 'suspendedHouse' | 'paused' | 'revoked', number>
>;

const refused: Told = {
  suspended: 409,
  closed: 409,
  suspendedHouse: 409,
  paused: 200,
  revoked: 409,
};
/** What ends something is always possible: how else would a limit or a leak be mended? */
const ends: Told = { suspended: 200, closed: 200, suspendedHouse: 200, paused: 200, revoked: 200 };
const pauses = { ...ends, closed: 409, revoked: 409 };
const ofHouse = { ...refused, revoked: 200 };
const ofGuest = { ...ofHouse, suspendedHouse: 200 };
const ofActive = { ...refused, paused: 409 };
const verdict: Told = {
  suspended: 403,
  closed: 403,
  suspendedHouse: 403,
  paused: 403,
  revoked: 403,
};

const onConsumer =
  (body: object) =>
  ({ consumer }: Scene) => ({ subject: { c: consumer }, body });
const onProducer =
  (body: object) =>
  ({ producers: [c = ''] }: Scene) => ({ subject: { c }, body });
const onOwn =
  (body: object) =>
  ({ own }: Scene) => ({ subject: { c: own }, body });
const onGuest =
  (body: object) =>
  ({ guest }: Scene) => ({ subject: { o: guest }, body });
const onMember = (body: object) => (scene: Scene) =>
  onGuest({ member_id: personKey(scene.people.guestEditor), seen_role: 'editor', ...body })(scene);
const inWorkspace = (body: object) => () => ({ body });

/** About what another call made: how a request names it. */
const about =
  (
    id: Changing,
    [by, prepare]: readonly [Who, Prepare],
    names: (text: (...path: (string | number)[]) => string) => Request,
  ): Prepare =>
  async scene => {
    const given = await prepare(scene);
    const { body } = await scene.ask(id, by, given);
    const { subject, ...rest } = names((...path) =>
      String(path.reduce<unknown>((found, name) => Object(found)[name], body)),
    );
    return { ...rest, subject: { ...given.subject, ...subject } };
  };

const alert = { kind: 'refusals', threshold: 0, url: 'https://hooks.example' };
const onAlert = (body: object) =>
  about('alert.make', ['guestOwner', inWorkspace(alert)], text => ({
    subject: { l: text('alert_id') },
    body,
  }));
const onInstance = (body: object) =>
  about('skill.register', ['guestEditor', onConsumer({ file: instance('one') })], text => ({
    subject: { r: text('registrations', 0, 'registration_id') },
    body,
  }));
const role = { role_arn: 'arn:aws:iam::111122223333:role/reader' };
const second = 'https://second.example';
const provider = {
  issuer: second,
  jwks_uri: `${second}/keys`,
  audience: 'bus',
  client_claim: 'azp',
};
const client = { issuer, client: 'client' };
const onStory = async ({ workspace }: Scene) => {
  const state = storyStateOf({ story_id: 'one', sequence_number: 1 });
  const of = { workspace, correlationId: randomUUID() };
  await batchPut(portal.tables.ledger, [storyItem(of, { state, version: 1 })]);
  return { body: { story: 'one', confirm: 'one', seen_snapshot: 1 } };
};
const replays = (scene: Scene) => onConsumer(range())(scene);
const run = onProducer({ kind: 'producer' });

/**
 * `alert.test` calls a webhook: test/portal/alert.test.ts. The others are not about what an
 * organisation has.
 */
type Others =
  | `operator.${string}`
  | 'alert.test'
  | 'sign.out'
  | 'organisation.request'
  | 'organisation.invitation';

type Row = readonly [by: Who, request: Prepare, told: Told];

const rows: Readonly<Record<Exclude<Changing, Others>, Row>> = {
  'organisation.join': [
    'guestOwner',
    ({ guest, invitations: [invitation] }) => ({ body: { invitation, organisation_id: guest } }),
    ofHouse,
  ],
  'organisation.addWorkspace': ['owner', inWorkspace({ name: 'Second' }), ofHouse],
  'organisation.inviteMember': ['guestOwner', onGuest({ role: 'viewer' }), ofGuest],
  'organisation.keepRefused': ['guestOwner', onGuest({ keep: true }), ofGuest],
  'organisation.setRole': ['guestOwner', onMember({ role: 'owner' }), ofGuest],
  'organisation.removeMember': ['guestOwner', onMember({}), ends],
  'organisation.withdrawInvitation': [
    'guestOwner',
    async ({ ask, ...scene }) => {
      await ask('organisation.inviteMember', 'guestOwner', onGuest({ role: 'viewer' })(scene));
      const { body } = await ask('organisation.invitations', 'guestOwner', onGuest({})(scene));
      const [one] = body['invitations'] as { invitation_id: string }[];
      return onGuest({ ...one })(scene);
    },
    ends,
  ],
  'workspace.inviteVendor': ['owner', inWorkspace(terms), ofHouse],
  'workspace.startStoryOver': ['editor', onStory, ofHouse],
  'connection.make': [
    'guestEditor',
    inWorkspace({ kind: 'consumer', app: 'A', receives: ['link.*'] }),
    ofHouse,
  ],
  'connection.permit': ['guestEditor', onProducer({ system_ids: ['desk'] }), refused],
  'connection.rotate': ['guestEditor', onProducer({ overlap_seconds: 0 }), refused],
  'connection.endSecret': ['guestEditor', onProducer({ which: 'all' }), refused],
  'connection.pause': ['guestEditor', onProducer({}), pauses],
  'connection.resume': ['guestEditor', onProducer({}), refused],
  'connection.revoke': ['guestEditor', onProducer({}), ends],
  'connection.addIssuer': ['editor', inWorkspace(provider), ofHouse],
  'connection.removeIssuer': ['editor', inWorkspace({ issuer }), ends],
  'connection.bindClient': ['editor', onOwn(client), refused],
  'connection.unbindClient': [
    'editor',
    about('connection.bindClient', ['editor', onOwn(client)], () => ({ body: client })),
    ends,
  ],
  'connection.registerRole': ['guestEditor', onConsumer(role), refused],
  'connection.endRole': [
    'guestEditor',
    about('connection.registerRole', ['guestEditor', onConsumer(role)], text => ({
      body: { role_id: text('roles', 0, 'role_id') },
    })),
    ends,
  ],
  'connection.endVendor': ['owner', ({ guest }) => ({ body: { organisation_id: guest } }), ends],
  'connection.closeOrganisation': ['guestOwner', onGuest({ confirm: 'Vendor' }), ends],
  // No message waits: where a skip is allowed, it is told that this one is not next.
  'queue.skip': [
    'guestEditor',
    onConsumer({ message_id: 'one', confirm: 'one' }),
    { ...refused, paused: 409 },
  ],
  'queue.countReplay': ['guestEditor', replays, ofActive],
  'queue.startReplay': ['guestEditor', replays, ofActive],
  'queue.cancelReplay': [
    'guestEditor',
    about('queue.startReplay', ['guestEditor', replays], text => ({
      subject: { y: text('replay_id') },
    })),
    ends,
  ],
  'skill.register': ['guestEditor', onConsumer({ file: instance('one') }), refused],
  'skill.replace': ['guestEditor', onInstance({ file: instance('two') }), refused],
  'skill.pause': ['guestEditor', onInstance({}), refused],
  'skill.resume': ['guestEditor', onInstance({}), refused],
  'skill.end': ['guestEditor', onInstance({}), ends],
  'check.start': ['guestEditor', run, ofActive],
  'check.stop': [
    'guestEditor',
    about('check.start', ['guestEditor', run], text => ({ subject: { t: text('run_id') } })),
    ends,
  ],
  'validate.message': ['guestEditor', onProducer({ text: '{}' }), verdict],
  'validate.publish': ['guestEditor', onProducer({ text: '{}' }), verdict],
  'alert.make': ['guestOwner', inWorkspace(alert), ofHouse],
  'alert.change': ['guestOwner', onAlert(alert), ofHouse],
  'alert.delete': ['guestOwner', onAlert({}), ends],
};

let portal: PortalService;
let serve: ReturnType<typeof handlers>;
beforeAll(async () => {
  portal = await startPortal();
  serve = handlers(
    portal.env,
    () => ({ answered: () => undefined, failed: () => undefined }),
    false,
  );
});
afterAll(() => portal.close());

const askIn = (scene: Scene): Ask =>
  async function ask(id, by, { subject, body } = {}) {
    const call = {
      person: scene.people[by],
      subject: { o: scene.house, w: scene.workspace, ...subject },
    };
    const isSeen =
      id !== 'connection.show' && id.startsWith('connection.') && subject?.['c'] !== undefined;
    const version = isSeen
      ? (await portal.call('connection.show', call)).body['version']
      : undefined;
    return portal.call(id, { ...call, body: { ...body, version } });
  };

const stop = async (
  state: keyof Told,
  { house, guest }: Scene,
  { by, c }: { by: Who; c: string },
) => {
  const ports = operatorPorts(portal.env);
  const own = by.startsWith('guest') ? guest : house;
  if (state === 'suspended') await suspendOrganisation(ports, own);
  if (state === 'suspendedHouse') await suspendOrganisation(ports, house);
  if (state === 'closed') await revokeParty(ports, 'organisation', own);
  if (state === 'paused' && c !== '') await ports.connections.setPaused(c, true, 'guest');
  if (state === 'revoked' && c !== '') await revokeConnection(ports, c);
};

test.each(Object.entries(rows) as [Changing, Row][])(
  '%s of what is suspended, closed, paused or revoked',
  async (id, [by, request, told]) => {
    const found: Record<string, unknown> = {};
    for (const state of Object.keys(told) as (keyof Told)[]) {
      const scene = await sceneOf(portal.env);
      const ask = askIn(scene);
      const prepared = await request({ ...scene, ask });
      await stop(state, scene, { by, c: prepared.subject?.['c'] ?? '' });
      const { status, body } = await ask(id, by, prepared);
      found[state] = typeof body['status'] === 'number' ? body['status'] : status;
    }
    expect(found).toEqual(told);
  },
);

type Program = readonly [
  by: 'producer' | 'consumer',
  active: number,
  paused: number,
  body?: string,
];

const publishes: Program = ['producer', 400, 403];
const looks: Program = ['consumer', 200, 200];
const unknown: Program = ['consumer', 404, 404];

/** What the bus says while the connection is active, and paused; otherwise it is refused. */
const programs: Readonly<Record<Called, Program>> = {
  token: ['producer', 200, 200],
  publish: publishes,
  validate: publishes,
  'iam-publish': publishes,
  'iam-validate': publishes,
  'jwt-publish': publishes,
  'operator-publish': publishes,
  'verify-principal': ['producer', 200, 200],
  pull: looks,
  ack: ['consumer', 400, 400],
  nack: ['consumer', 400, 400],
  message: unknown,
  backlog: looks,
  registrations: looks,
  'check-start': ['consumer', 201, 409, '{"kind":"consumer"}'],
  'check-list': looks,
  'check-report': unknown,
  'check-stop': unknown,
};

const callBus = async (id: Called, scene: Scene, [connection, sent]: readonly [string, string]) => {
  const { consumer, workspace, secrets } = scene;
  const userArn = `arn:aws:sts::111122223333:assumed-role/${workspace}/session`;
  const form = `grant_type=client_credentials&client_id=${connection}&client_secret=${secrets.get(connection)}`;
  const [body, type] = id === 'token' ? [form, 'x-www-form-urlencoded'] : [sent, 'json'];
  const { identity } = proxyEvent({}).requestContext;
  const requestContext =
    routes[id].auth === 'sigv4'
      ? { identity: { ...identity, userArn } }
      : { authorizer: { connection, workspace } };
  const headers = { 'content-type': `application/${type}` };
  const pathParameters = { t: workspace, c: consumer, m: 'none', r: 'none' };
  const httpMethod = routes[id].method;
  return (
    await serve[id](proxyEvent({ httpMethod, headers, body, pathParameters, requestContext }))
  ).statusCode;
};

test.each(Object.keys(programs) as Called[])(
  '%s by a connection that is stopped in any way',
  async id => {
    const [by, active, paused, sent = '{}'] = programs[id];
    for (const state of ['active', ...(Object.keys(refused) as (keyof Told)[])] as const) {
      const scene = await sceneOf(portal.env);
      const [producer = ''] = scene.producers;
      const scope = id === 'operator-publish' ? 'operator' : scene.workspace;
      const wanted = {
        connection: producer,
        roleArn: `arn:aws:iam::111122223333:role/${scene.workspace}`,
      };
      const { challenge } = settled(
        await registerPrincipal(operatorPorts(portal.env), scope, wanted),
      );
      const proof = JSON.stringify({ connection_id: producer, challenge });
      if (id.startsWith('iam'))
        expect(await callBus('verify-principal', scene, [producer, proof])).toBe(200);
      const c = by === 'producer' ? producer : scene.consumer;
      if (state !== 'active') await stop(state, scene, { by: 'guestEditor', c });
      const status = await callBus(id, scene, [c, id === 'verify-principal' ? proof : sent]);
      const stopped = id === 'token' ? 401 : 403;
      expect([state, status]).toEqual([state, { active, paused }[String(state)] ?? stopped]);
    }
  },
);

import type { PortalCallId } from '../../lib/contract/portal.ts';
import { suspendOrganisation } from '../../lib/registry/approval.ts';
import { personKey } from '../../lib/registry/members.ts';
import { revokeConnection, revokeParty } from '../../lib/registry/revoking.ts';
import { registryPorts } from '../../lib/wiring/operator.ts';
import {
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

// Every call that may change something, by people of an organisation that is suspended or closed, and about connections that are paused or revoked.

interface Request {
  readonly subject?: Readonly<Record<string, string>>;
  readonly body?: object;
}

type Ask = (id: PortalCallId, by: Who, request?: Request) => ReturnType<PortalService['call']>;

interface Prepared extends Scene {
  readonly ask: Ask;
}

/** The statuses of the response; of a verdict, its own. */
interface Told {
  /** While the organisation of whoever calls is suspended, and after it was closed. */
  readonly suspended: number;
  readonly closed: number;
  /** While the house of the workspace is suspended. */
  readonly suspendedHouse: number;
  readonly paused: number;
  readonly revoked: number;
}

interface Row {
  readonly by: Who;
  readonly request: (scene: Prepared) => Request | Promise<Request>;
  readonly told: Told;
}

const refused: Told = { suspended: 409, closed: 409, suspendedHouse: 409, paused: 200, revoked: 409 };
/** What ends something is always possible: how else would a limit or a leak be mended? */
const ends: Told = { suspended: 200, closed: 200, suspendedHouse: 200, paused: 200, revoked: 200 };
/** Not about a connection. */
const ofOrganisation: Told = { ...refused, revoked: 200 };
const ofProducer: Told = { suspended: 403, closed: 403, suspendedHouse: 403, paused: 403, revoked: 403 };

const onConsumer =
  (body: object) =>
  ({ consumer }: Scene) => ({ subject: { c: consumer }, body });
const onProducer =
  (body: object) =>
  ({ producers: [c = ''] }: Scene) => ({ subject: { c }, body });
const onGuest =
  (body: object) =>
  ({ guest }: Scene) => ({ subject: { o: guest }, body });
const plain = (body: object) => () => ({ body });

const textAt = (value: unknown, ...names: readonly (string | number)[]): string =>
  String(names.reduce<unknown>((found, name) => Object(found)[name], value));

const alert = { kind: 'refusals', threshold: 0, url: 'https://hooks.example' };
const onAlert =
  (body: object = {}) =>
  async ({ ask }: Prepared) => {
    const made = await ask('alert.make', 'guestOwner', { body: alert });
    return { subject: { l: textAt(made.body, 'alert_id') }, body };
  };

const onInstance =
  (body: object = {}) =>
  async ({ ask, ...scene }: Prepared) => {
    const { subject } = onConsumer({})(scene);
    const made = await ask('skill.register', 'guestEditor', { subject, body: { file: instance('one') } });
    return { subject: { ...subject, r: textAt(made.body, 'registrations', 0, 'registration_id') }, body };
  };

const role = { role_arn: 'arn:aws:iam::111122223333:role/reader' };
const provider = {
  issuer: 'https://second.example',
  jwks_uri: 'https://second.example/keys',
  audience: 'bus',
};
const client = { issuer, client: 'client' };
const whole = 'is not about what somebody has';

const rows: Readonly<Record<Changing, Row | string>> = {
  'organisation.join': {
    by: 'guestOwner',
    request: ({ guest, invitations: [invitation] }) => ({ body: { invitation, organisation_id: guest } }),
    told: ofOrganisation,
  },
  'organisation.addWorkspace': { by: 'owner', request: plain({ name: 'Second' }), told: ofOrganisation },
  'organisation.inviteMember': {
    by: 'guestOwner',
    request: onGuest({ role: 'viewer' }),
    told: { ...ofOrganisation, suspendedHouse: 200 },
  },
  'organisation.keepRefused': {
    by: 'guestOwner',
    request: onGuest({ keep: true }),
    told: { ...ofOrganisation, suspendedHouse: 200 },
  },
  'organisation.setRole': {
    by: 'guestOwner',
    request: ({ guest, people }) => ({
      subject: { o: guest },
      body: { member_id: personKey(people.guestEditor), seen_role: 'editor', role: 'owner' },
    }),
    told: { ...ofOrganisation, suspendedHouse: 200 },
  },
  'organisation.removeMember': {
    by: 'guestOwner',
    request: ({ guest, people }) => ({
      subject: { o: guest },
      body: { member_id: personKey(people.guestEditor), seen_role: 'editor' },
    }),
    told: ends,
  },
  'organisation.withdrawInvitation': {
    by: 'guestOwner',
    request: async ({ ask, ...scene }) => {
      await ask('organisation.inviteMember', 'guestOwner', onGuest({ role: 'viewer' })(scene));
      const { body } = await ask('organisation.invitations', 'guestOwner', onGuest({})(scene));
      return onGuest({ invitation_id: textAt(body, 'invitations', 0, 'invitation_id') })(scene);
    },
    told: ends,
  },
  'workspace.inviteVendor': { by: 'owner', request: plain(terms), told: ofOrganisation },
  'connection.make': {
    by: 'guestEditor',
    request: plain({ kind: 'consumer', app: 'App', receives: ['link.*'] }),
    told: ofOrganisation,
  },
  'connection.permit': { by: 'guestEditor', request: onProducer({ system_ids: ['desk'] }), told: refused },
  'connection.rotate': { by: 'guestEditor', request: onProducer({ overlap_seconds: 0 }), told: refused },
  'connection.endSecret': { by: 'guestEditor', request: onProducer({ which: 'all' }), told: refused },
  'connection.pause': {
    by: 'guestEditor',
    request: onProducer({}),
    told: { ...ends, closed: 409, revoked: 409 },
  },
  'connection.resume': { by: 'guestEditor', request: onProducer({}), told: refused },
  'connection.revoke': { by: 'guestEditor', request: onProducer({}), told: ends },
  'connection.addIssuer': {
    by: 'editor',
    request: plain({ ...provider, client_claim: 'azp' }),
    told: ofOrganisation,
  },
  'connection.removeIssuer': { by: 'editor', request: plain({ issuer }), told: ends },
  'connection.bindClient': {
    by: 'editor',
    request: ({ own }) => ({ subject: { c: own }, body: client }),
    told: refused,
  },
  'connection.unbindClient': {
    by: 'editor',
    request: async ({ ask, own }) => {
      const request = { subject: { c: own }, body: client };
      await ask('connection.bindClient', 'editor', request);
      return request;
    },
    told: ends,
  },
  'connection.registerRole': { by: 'guestEditor', request: onConsumer(role), told: refused },
  'connection.endRole': {
    by: 'guestEditor',
    request: async ({ ask, ...scene }) => {
      const made = await ask('connection.registerRole', 'guestEditor', onConsumer(role)(scene));
      return onConsumer({ role_id: textAt(made.body, 'roles', 0, 'role_id') })(scene);
    },
    told: ends,
  },
  'connection.endVendor': {
    by: 'owner',
    request: ({ guest }) => ({ body: { organisation_id: guest } }),
    told: ends,
  },
  'connection.closeOrganisation': { by: 'guestOwner', request: onGuest({ confirm: 'Vendor' }), told: ends },
  'queue.skip': {
    by: 'guestEditor',
    request: onConsumer({ message_id: 'one', confirm: 'one' }),
    told: refused,
  },
  'queue.countReplay': { by: 'guestEditor', request: onConsumer(range()), told: { ...refused, paused: 409 } },
  'queue.startReplay': { by: 'guestEditor', request: onConsumer(range()), told: { ...refused, paused: 409 } },
  'queue.cancelReplay': {
    by: 'guestEditor',
    request: async ({ ask, ...scene }) => {
      const request = onConsumer(range())(scene);
      const { body } = await ask('queue.startReplay', 'guestEditor', request);
      return { subject: { ...request.subject, y: textAt(body, 'replay_id') } };
    },
    told: ends,
  },
  'skill.register': { by: 'guestEditor', request: onConsumer({ file: instance('one') }), told: refused },
  'skill.replace': { by: 'guestEditor', request: onInstance({ file: instance('two') }), told: refused },
  'skill.pause': { by: 'guestEditor', request: onInstance(), told: refused },
  'skill.resume': { by: 'guestEditor', request: onInstance(), told: refused },
  'skill.end': { by: 'guestEditor', request: onInstance(), told: ends },
  'check.start': {
    by: 'guestEditor',
    request: onProducer({ kind: 'producer' }),
    told: { ...refused, paused: 409 },
  },
  'check.stop': {
    by: 'guestEditor',
    request: async ({ ask, ...scene }) => {
      const request = onProducer({ kind: 'producer' })(scene);
      const { body } = await ask('check.start', 'guestEditor', request);
      return { subject: { ...request.subject, t: textAt(body, 'run_id') } };
    },
    told: ends,
  },
  'validate.message': { by: 'guestEditor', request: onProducer({ text: '{}' }), told: ofProducer },
  'validate.publish': { by: 'guestEditor', request: onProducer({ text: '{}' }), told: ofProducer },
  'alert.make': { by: 'guestOwner', request: plain(alert), told: ofOrganisation },
  'alert.change': { by: 'guestOwner', request: onAlert(alert), told: ofOrganisation },
  'alert.test': 'test/portal/alert.test.ts: it calls the webhook',
  'alert.delete': { by: 'guestOwner', request: onAlert(), told: ends },
  'organisation.request': whole,
  'organisation.invitation': whole,
  'sign.out': whole,
  'operator.approve': whole,
  'operator.allot': whole,
  'operator.raise': whole,
  'operator.decline': whole,
  'operator.suspend': whole,
  'operator.resume': whole,
};

let portal: PortalService;
beforeAll(async () => {
  portal = await startPortal();
});
afterAll(() => portal.close());

const askIn = (scene: Scene): Ask =>
  async function ask(id, by, { subject, body } = {}) {
    const call = { person: scene.people[by], subject: { o: scene.house, w: scene.workspace, ...subject } };
    const isSeen = id !== 'connection.show' && id.startsWith('connection.') && subject?.['c'] !== undefined;
    const version = isSeen ? (await portal.call('connection.show', call)).body['version'] : undefined;
    return portal.call(id, { ...call, body: { ...body, version } });
  };

const stop = async (state: keyof Told, scene: Scene, { by, c }: { by: Who; c: string }): Promise<void> => {
  const ports = registryPorts(portal.env);
  const own = by.startsWith('guest') ? scene.guest : scene.house;
  if (state === 'suspended') await suspendOrganisation(ports, own);
  if (state === 'suspendedHouse') await suspendOrganisation(ports, scene.house);
  if (state === 'closed') await revokeParty(ports, 'organisation', own);
  if (state === 'paused' && c !== '') await ports.connections.setPaused(c, true, 'guest');
  if (state === 'revoked' && c !== '') await revokeConnection(ports, c);
};

const states = Object.keys(refused).filter((state): state is keyof Told => state in refused);

test.each(Object.entries(rows).filter((row): row is [Changing, Row] => typeof row[1] !== 'string'))(
  '%s of what is suspended, closed, paused or revoked',
  async (id, { by, request, told }) => {
    const found: Partial<Record<keyof Told, number>> = {};
    for (const state of states) {
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

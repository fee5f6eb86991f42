import assert from 'node:assert/strict';
import type { PortalCallId } from '../../lib/contract/portal/portal.ts';
import { linkCommitted } from '../support/messages.ts';
import { invoke } from './functions.ts';
import { type Asked, isGuest, type PersonName, type Scene, worked } from './portal-scene.ts';

interface Row {
  /** Makes what the call is about, and says how somebody asks. */
  readonly ask?: (scene: PortalObjects, person: PersonName) => Promise<Asked> | Asked;
  /** What else than 200 the call answers here, and why that is right. */
  readonly otherwise?: { readonly status: number; readonly code: string; readonly why: string };
  /** Undoes what would stand in the way of the next call. */
  readonly after?: (scene: PortalObjects, person: PersonName) => Promise<unknown>;
}

const noInternet = 'the function reaches no host but AWS from here';

const skillFile = (label: string): string =>
  `- {skill_id: smart-stories/gate-by-scope, instance_label: ${label}, ` +
  'values: {scope: destination-path, gate_scope_kind: E, path_map: {a: c}}}\n';

type Kind = 'producer' | 'consumer';

/** What calls are about: made by whoever may, when a row first needs it. */
export class PortalObjects {
  readonly scene: Scene;
  readonly #kept = new Map<string, Promise<string>>();
  #number = 0;
  /** Producers that were made since the last test runs ended. */
  #fresh: { readonly w: string; readonly c: string; readonly isGuest: boolean }[] = [];

  constructor(scene: Scene) {
    this.scene = scene;
  }

  get workspace() {
    return { w: this.scene.workspace };
  }

  get house() {
    return { o: this.scene.house };
  }

  next(): string {
    this.#number += 1;
    return `n${this.#number}`;
  }

  as(person: PersonName) {
    return this.scene.as(person);
  }

  /** Somebody who may change things on the same side. */
  ownerFor(person: PersonName): PersonName {
    return isGuest(person) ? 'invited owner' : 'owner';
  }

  #once(name: string, make: () => Promise<string>): Promise<string> {
    const made = this.#kept.get(name) ?? make();
    this.#kept.set(name, made);
    return made;
  }

  /** A new connection of a person's side. */
  async freshConnection(
    person: PersonName,
    kind: Kind,
  ): Promise<{ w: string; c: string; version: string }> {
    const owner = this.ownerFor(person);
    const of = { producer: { grants: ['link.*'] }, consumer: { receives: ['link.*'] } };
    const systems = kind === 'producer' ? { system_ids: [`system-${this.next()}`] } : {};
    const body = { kind, app: `App ${this.next()}`, ...of[kind], ...systems };
    const made = await worked(this.as(owner)('connection.make', { subject: this.workspace, body }));
    const subject = { ...this.workspace, c: made.connection_id };
    if (kind === 'producer') this.#fresh.push({ ...subject, isGuest: isGuest(person) });
    return { ...subject, version: made.version };
  }

  /** A connection of a person's side that many calls are about. */
  async connection(person: PersonName, kind: Kind): Promise<{ w: string; c: string }> {
    const make = async () => (await this.freshConnection(person, kind)).c;
    return { ...this.workspace, c: await this.#once(`${isGuest(person)} ${kind}`, make) };
  }

  /** How a change of a fresh connection is asked for. */
  async change(person: PersonName, kind: Kind, body: object): Promise<Asked> {
    const { w, c, version } = await this.freshConnection(person, kind);
    return { subject: { w, c }, body: { version, ...body } };
  }

  async versionOf(person: PersonName, subject: { w: string; c: string }): Promise<string> {
    return (await worked(this.as(this.ownerFor(person))('connection.show', { subject }))).version;
  }

  /** Publishes as a producer by hand. @returns the message's text */
  async publish(
    person: PersonName,
    members: object = {},
  ): Promise<{ id: string; correlation: string }> {
    const subject = await this.connection(person, 'producer');
    const { system_ids } = await worked(
      this.as(this.ownerFor(person))('connection.show', { subject }),
    );
    const originating_system = { system_id: system_ids[0], system_type: 'ncs' };
    const timestamp = new Date().toISOString();
    const message = linkCommitted({ originating_system, timestamp, ...members });
    const body = { text: JSON.stringify(message) };
    await worked(this.as(this.ownerFor(person))('validate.publish', { subject, body }));
    return { id: String(message['message_id']), correlation: String(message['correlation_id']) };
  }

  message(person: PersonName): Promise<string> {
    return this.#once(`${isGuest(person)} message`, async () => {
      const { id, correlation } = await this.publish(person);
      await this.#once(`${isGuest(person)} correlation`, async () => correlation);
      return id;
    });
  }

  async correlation(person: PersonName): Promise<string> {
    await this.message(person);
    return this.#once(`${isGuest(person)} correlation`, async () => '');
  }

  alert(person: PersonName): Promise<string> {
    const owner = this.ownerFor(person);
    const organisation_id = isGuest(person) ? this.scene.vendor : this.scene.house;
    const body = {
      kind: 'refusals',
      threshold: 5,
      url: 'https://hooks.example.org/in',
      organisation_id,
    };
    return this.as(owner)('alert.make', { subject: this.workspace, body }).then(answered =>
      worked(Promise.resolve(answered)).then(made => made.alert_id),
    );
  }

  /** A new skill instance of a person's side. */
  async instance(person: PersonName): Promise<{ w: string; c: string; r: string }> {
    const subject = await this.connection(person, 'consumer');
    const body = { file: skillFile(`label-${this.next()}`) };
    const made = await worked(this.as(this.ownerFor(person))('skill.register', { subject, body }));
    return { ...subject, r: made.registrations[0].registration_id };
  }

  /** A new replay to a consumer of a person's side. */
  async replay(person: PersonName): Promise<{ w: string; c: string; y: string }> {
    const { w, c } = await this.freshConnection(person, 'consumer');
    const body = { from: new Date(Date.now() - 3_600_000).toISOString() };
    const started = await worked(
      this.as(this.ownerFor(person))('queue.startReplay', { subject: { w, c }, body }),
    );
    return { w, c, y: started.replay_id };
  }

  /** A new run of checks on a producer of a person's side. */
  async testRun(person: PersonName): Promise<{ w: string; c: string; t: string }> {
    const { w, c } = await this.freshConnection(person, 'producer');
    const asked = { subject: { w, c }, body: { kind: 'producer' } };
    const started = await worked(this.as(this.ownerFor(person))('check.start', asked));
    return { w, c, t: started.run_id };
  }

  /** The test runs of a side's new producers that go on. */
  async #testRunsGoingOn(person: PersonName) {
    const owner = this.as(this.ownerFor(person));
    const own = this.#fresh.filter(one => one.isGuest === isGuest(person));
    const found = await Promise.all(
      own.map(async ({ w, c }) => {
        const { status, body } = await owner('check.list', { subject: { w, c } });
        assert.ok(status < 500, `check.list answers ${status}`);
        // Another row has revoked it.
        if (status !== 200) return [];
        const goingOn = body.runs.filter((run: { status: string }) => run.status === 'running');
        return goingOn.map((run: { run_id: string }) => ({ w, c, t: run.run_id }));
      }),
    );
    return found.flat();
  }

  /**
   * Stops the test runs of a side, and lets the scheduled function end them: only so many may go
   * on. The schedule itself may hold one, so that takes several turns, many on a busy machine.
   */
  async endTestRuns(person: PersonName): Promise<void> {
    const owner = this.as(this.ownerFor(person));
    for (let turn = 1; turn <= 60; turn += 1) {
      const goingOn = await this.#testRunsGoingOn(person);
      if (goingOn.length === 0) break;
      for (const subject of goingOn) await owner('check.stop', { subject });
      await invoke('checks');
    }
    this.#fresh = this.#fresh.filter(one => one.isGuest !== isGuest(person));
  }

  /** An organisation that was just asked for. */
  async requested(): Promise<{ o: string }> {
    const body = { name: `House ${this.next()}`, type: 'house' };
    return {
      o: (await worked(this.as('nobody')('organisation.request', { body }))).organisation_id,
    };
  }

  async approved(): Promise<{ o: string }> {
    const subject = await this.requested();
    await worked(this.as('operator')('operator.approve', { subject, body: { tier: 'standard' } }));
    return subject;
  }

  /** An open invitation to the house. */
  async invitation(): Promise<string> {
    const asked = { subject: this.house, body: { role: 'viewer' } };
    return (await worked(this.as('owner')('organisation.inviteMember', asked))).invitation;
  }

  /** Lets somebody join the house. */
  async joined(): Promise<{ member_id: string; seen_role: string }> {
    await this.as('nobody')('organisation.join', { body: { invitation: await this.invitation() } });
    const { members } = await worked(
      this.as('owner')('organisation.members', { subject: this.house }),
    );
    const [found] = members.filter((one: { name: string }) => /nobody/.test(one.name));
    return { member_id: found.member_id, seen_role: found.role };
  }
}

const ofHouse: Row = { ask: scene => ({ subject: scene.house }) };
const ofWorkspace: Row = { ask: scene => ({ subject: scene.workspace }) };
const ofConnection = (kind: Kind): Row => ({
  ask: async (scene, person) => ({ subject: await scene.connection(person, kind) }),
});
const changing = (kind: Kind, body: object): Row => ({
  ask: (scene, person) => scene.change(person, kind, body),
});
const ofMessage: Row = {
  ask: async (scene, person) => ({
    subject: { ...scene.workspace, m: await scene.message(person) },
  }),
};
const ofInstance: Row = {
  ask: async (scene, person) => ({ subject: await scene.instance(person) }),
};
const ofAlert = (body: object): Row => ({
  ask: async (scene, person) => ({
    subject: { ...scene.workspace, l: await scene.alert(person) },
    body,
  }),
});
const anHourAgo = () => new Date(Date.now() - 3_600_000).toISOString();

/** The members of a new identity provider of the house's workspace. */
const newIssuer = (scene: PortalObjects) => {
  const issuer = `https://${scene.next()}.example.org`;
  return { issuer, jwks_uri: `${issuer}/jwks`, audience: 'bus', client_claim: 'azp' };
};

/** Registers an identity provider, and takes it away again afterwards. */
const withIssuer = async (scene: PortalObjects): Promise<string> => {
  const body = newIssuer(scene);
  await worked(scene.as('owner')('connection.addIssuer', { subject: scene.workspace, body }));
  return body.issuer;
};

const withoutIssuers = async (scene: PortalObjects): Promise<void> => {
  const { issuers } = await worked(
    scene.as('owner')('connection.list', { subject: scene.workspace }),
  );
  for (const { issuer } of issuers)
    await scene.as('owner')('connection.removeIssuer', {
      subject: scene.workspace,
      body: { issuer },
    });
};

/** How each call of the portal is made here. A call without a row does not compile. */
export const portalRows: Readonly<Record<PortalCallId, Row>> = {
  'sign.in': {},
  'sign.back': {
    otherwise: {
      status: 400,
      code: 'sign_in.failed',
      why: 'it carries no code; everybody came back with one',
    },
  },
  'sign.session': {},
  'sign.out': {},
  'organisation.request': {
    ask: scene => ({ body: { name: `House ${scene.next()}`, type: 'house' } }),
  },
  'organisation.requests': {},
  'organisation.invitation': {
    ask: async scene => ({ body: { invitation: await scene.invitation() } }),
  },
  'organisation.join': {
    ask: async scene => ({ body: { invitation: await scene.invitation() } }),
    after: async scene => {
      const body = await scene.joined();
      await scene.as('owner')('organisation.removeMember', { subject: scene.house, body });
    },
  },
  'organisation.show': ofHouse,
  'organisation.members': ofHouse,
  'organisation.changes': ofHouse,
  'organisation.keepRefused': { ask: scene => ({ subject: scene.house, body: { keep: true } }) },
  'organisation.addWorkspace': {
    ask: scene => ({ subject: scene.house, body: { name: `Workspace ${scene.next()}` } }),
  },
  'organisation.setRole': {
    ask: async scene => ({
      subject: scene.house,
      body: { ...(await scene.joined()), role: 'editor' },
    }),
  },
  'organisation.removeMember': {
    ask: async scene => ({ subject: scene.house, body: await scene.joined() }),
  },
  'organisation.invitations': ofHouse,
  'organisation.withdrawInvitation': {
    ask: async scene => {
      await scene.invitation();
      const { invitations } = await worked(
        scene.as('owner')('organisation.invitations', { subject: scene.house }),
      );
      return { subject: scene.house, body: { invitation_id: invitations[0].invitation_id } };
    },
  },
  'organisation.inviteMember': {
    ask: scene => ({ subject: scene.house, body: { role: 'viewer' } }),
  },
  'workspace.show': ofWorkspace,
  'workspace.activity': ofWorkspace,
  'workspace.message': ofMessage,
  'workspace.story': {
    ask: async (scene, person) => ({
      subject: scene.workspace,
      query: { correlation: await scene.correlation(person) },
    }),
  },
  'workspace.startStoryOver': {
    ask: scene => ({
      subject: scene.workspace,
      body: { story: 'a-story', confirm: 'a-story', seen_snapshot: 1 },
    }),
    otherwise: { status: 409, code: 'portal.declined', why: 'the bus remembers no snapshot of it' },
  },
  'workspace.stories': ofWorkspace,
  'workspace.content': ofMessage,
  'workspace.search': { ask: scene => ({ subject: scene.workspace, query: { q: 'App' } }) },
  'workspace.overview': ofWorkspace,
  'workspace.volume': ofWorkspace,
  'workspace.inviteVendor': {
    ask: scene => ({
      subject: scene.workspace,
      body: { kinds: ['producer'], grants: ['link.*'], receives: ['link.*'] },
    }),
  },
  'connection.list': ofWorkspace,
  'connection.vendors': ofWorkspace,
  'connection.endVendor': {
    ask: async scene => {
      const terms = { kinds: ['producer'], grants: ['link.*'], receives: [] };
      const { invitation } = await worked(
        scene.as('owner')('workspace.inviteVendor', { subject: scene.workspace, body: terms }),
      );
      const body = { invitation, new_vendor: `Vendor ${scene.next()}` };
      const { organisation_id } = await worked(scene.as('nobody')('organisation.join', { body }));
      return { subject: scene.workspace, body: { organisation_id } };
    },
  },
  'connection.closeOrganisation': {
    ask: async (scene, person) => {
      const name = `House ${scene.next()}`;
      const request = { body: { name, type: 'house' } };
      const { organisation_id: o } = await worked(
        scene.as(person)('organisation.request', request),
      );
      const approval = { subject: { o }, body: { tier: 'standard' } };
      await worked(scene.as('operator')('operator.approve', approval));
      return { subject: { o }, body: { confirm: name } };
    },
  },
  'connection.make': {
    ask: scene => ({
      subject: scene.workspace,
      body: {
        kind: 'producer',
        app: 'Graphics',
        grants: ['link.*'],
        system_ids: [`gfx-${scene.next()}`],
      },
    }),
  },
  'connection.addIssuer': {
    ask: scene => ({ subject: scene.workspace, body: newIssuer(scene) }),
    after: withoutIssuers,
  },
  'connection.removeIssuer': {
    ask: async scene => ({ subject: scene.workspace, body: { issuer: await withIssuer(scene) } }),
  },
  'connection.show': ofConnection('producer'),
  'connection.usage': ofConnection('consumer'),
  'connection.refusedText': {
    ask: async (scene, person) => {
      const keeper = scene.ownerFor(person);
      const o = isGuest(person) ? scene.scene.vendor : scene.scene.house;
      await worked(
        scene.as(keeper)('organisation.keepRefused', { subject: { o }, body: { keep: true } }),
      );
      const subject = await scene.connection(person, 'producer');
      const text = JSON.stringify(linkCommitted({ topic: 'no topic of SOM' }));
      await scene.as(keeper)('validate.publish', { subject, body: { text } });
      const { activity } = await worked(
        scene.as(keeper)('workspace.activity', { subject: scene.workspace }),
      );
      const refused = activity.find(
        (line: { kind: string; connection_id: string }) =>
          line.kind === 'refused' && line.connection_id === subject.c,
      );
      return { subject, query: { at: refused.at, message: refused.messages[0]?.message_id ?? '' } };
    },
  },
  'connection.permit': changing('producer', { grants: ['link.committed'] }),
  'connection.rotate': changing('producer', { overlap_seconds: 3_600 }),
  'connection.endSecret': changing('producer', { which: 'all' }),
  'connection.pause': changing('consumer', {}),
  'connection.resume': {
    ask: async (scene, person) => {
      const { w, c, version } = await scene.freshConnection(person, 'consumer');
      const subject = { w, c };
      const owner = scene.as(scene.ownerFor(person));
      const paused = await worked(owner('connection.pause', { subject, body: { version } }));
      return { subject, body: { version: paused.version } };
    },
  },
  'connection.revoke': changing('consumer', {}),
  'connection.registerRole': changing('consumer', {
    role_arn: 'arn:aws:iam::111122223333:role/reader',
  }),
  'connection.endRole': {
    ask: async (scene, person) => {
      const { w, c, version } = await scene.freshConnection(person, 'consumer');
      const subject = { w, c };
      const role_arn = `arn:aws:iam::111122223333:role/reader-${scene.next()}`;
      const owner = scene.as(scene.ownerFor(person));
      const made = await worked(
        owner('connection.registerRole', { subject, body: { version, role_arn } }),
      );
      return { subject, body: { version: made.version, role_id: made.roles[0].role_id } };
    },
  },
  'connection.bindClient': {
    ask: async (scene, person) =>
      scene.change(person, 'producer', { issuer: await withIssuer(scene), client: 'desk' }),
    after: withoutIssuers,
  },
  'connection.unbindClient': {
    ask: async (scene, person) => {
      const client = { issuer: await withIssuer(scene), client: 'desk' };
      const { w, c, version } = await scene.freshConnection(person, 'producer');
      const subject = { w, c };
      const bound = await worked(
        scene.as('editor')('connection.bindClient', { subject, body: { ...client, version } }),
      );
      return { subject, body: { ...client, version: bound.version } };
    },
    after: withoutIssuers,
  },
  'queue.show': ofConnection('consumer'),
  'queue.skip': {
    ask: async (scene, person) => {
      const { w, c } = await scene.freshConnection(person, 'consumer');
      const { id } = await scene.publish(person);
      return { subject: { w, c }, body: { message_id: id, confirm: id } };
    },
  },
  'queue.replays': ofConnection('consumer'),
  'queue.countReplay': {
    ask: async (scene, person) => ({
      subject: await scene.connection(person, 'consumer'),
      body: { from: anHourAgo() },
    }),
  },
  'queue.startReplay': {
    ask: async (scene, person) => {
      const { w, c } = await scene.freshConnection(person, 'consumer');
      return { subject: { w, c }, body: { from: anHourAgo() } };
    },
  },
  'queue.replay': { ask: async (scene, person) => ({ subject: await scene.replay(person) }) },
  'queue.cancelReplay': { ask: async (scene, person) => ({ subject: await scene.replay(person) }) },
  'skill.list': ofConnection('consumer'),
  'skill.file': ofConnection('consumer'),
  'skill.register': {
    ask: async (scene, person) => ({
      subject: await scene.connection(person, 'consumer'),
      body: { file: skillFile(`label-${scene.next()}`) },
    }),
  },
  'skill.show': ofInstance,
  'skill.replace': {
    ask: async (scene, person) => ({
      subject: await scene.instance(person),
      body: { file: skillFile(`label-${scene.next()}`) },
    }),
  },
  'skill.pause': ofInstance,
  'skill.resume': {
    ask: async (scene, person) => {
      const subject = await scene.instance(person);
      await worked(scene.as(scene.ownerFor(person))('skill.pause', { subject }));
      return { subject };
    },
  },
  'skill.end': ofInstance,
  'check.all': ofWorkspace,
  'check.list': ofConnection('producer'),
  'check.start': {
    ask: async (scene, person) => {
      const { w, c } = await scene.freshConnection(person, 'producer');
      return { subject: { w, c }, body: { kind: 'producer' } };
    },
    after: (scene, person) => scene.endTestRuns(person),
  },
  'check.show': {
    ask: async (scene, person) => ({ subject: await scene.testRun(person) }),
    after: (scene, person) => scene.endTestRuns(person),
  },
  'check.stop': {
    ask: async (scene, person) => ({ subject: await scene.testRun(person) }),
    after: (scene, person) => scene.endTestRuns(person),
  },
  'validate.message': {
    ask: async (scene, person) => ({
      subject: await scene.connection(person, 'producer'),
      body: { text: JSON.stringify(linkCommitted()) },
    }),
  },
  'validate.publish': {
    ask: async (scene, person) => ({
      subject: await scene.connection(person, 'producer'),
      body: { text: JSON.stringify(linkCommitted()) },
    }),
  },
  'alert.list': ofWorkspace,
  'alert.make': {
    ask: scene => ({
      subject: scene.workspace,
      body: { kind: 'refusals', threshold: 5, url: 'https://hooks.example.org/in' },
    }),
  },
  'alert.change': ofAlert({ threshold: 6, url: 'https://hooks.example.org/in' }),
  'alert.test': {
    ...ofAlert({}),
    otherwise: {
      status: 409,
      code: 'portal.declined',
      why: `the webhook is not there: ${noInternet}`,
    },
  },
  'alert.delete': ofAlert({}),
  'operator.organisations': {},
  'operator.usage': {
    ask: scene => ({ query: { organisations: scene.house.o } }),
  },
  'operator.health': {},
  'operator.approve': {
    ask: async scene => ({ subject: await scene.requested(), body: { tier: 'minimal' } }),
  },
  'operator.allot': {
    ask: async scene => ({ subject: await scene.approved(), body: { tier: 'high' } }),
  },
  'operator.raise': {
    ask: async scene => ({
      subject: await scene.approved(),
      body: { limit: 'workspaces', max: 60 },
    }),
  },
  'operator.decline': { ask: async scene => ({ subject: await scene.requested() }) },
  'operator.suspend': { ask: async scene => ({ subject: await scene.approved() }) },
  'operator.resume': {
    ask: async scene => {
      const subject = await scene.approved();
      await worked(scene.as('operator')('operator.suspend', { subject }));
      return { subject };
    },
  },
};

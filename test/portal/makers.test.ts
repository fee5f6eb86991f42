import { randomBytes } from 'node:crypto';
import { personKey } from '../../lib/access/people/members.ts';
import { type BoundName, guestIn, maxOf, type Slot } from '../../lib/contract/bounds.ts';
import { limits } from '../../lib/contract/limits.ts';
import { writeWithin } from '../../lib/platform/aws/bounded.ts';
import { getItem } from '../../lib/platform/aws/table.ts';
import { startRunFunction } from '../../lib/wiring/checks.ts';
import { lambda } from '../../lib/wiring/function.ts';
import { proxyEvent } from '../support/proxy-event.ts';
import {
  type Changing,
  instance,
  issuer,
  range,
  type Scene,
  sceneOf,
  terms,
  tries,
  type Who,
} from './guest-scene.ts';
import { type PortalService, startPortal } from './portal-service.ts';

// The attack on bounds: every call that makes something, by the weakest person who may make it,
// several at once at the last free place.

interface Maker {
  /** The weakest who may: an editor or owner of the guest, or of the house where guests may not. */
  readonly by: Who;
  /** The count that is full first. */
  readonly slot: (scene: Scene) => Slot;
  readonly call: (
    scene: Scene,
    at: number,
  ) => { readonly body: object; readonly subject?: Readonly<Record<string, string>> };
}

/** A count of things of the scene's nobody, guest's consumer, guest, house or workspace. */
const slot =
  (
    bound: BoundName,
    scope: 'person' | 'guestConnection' | 'guest' | 'organisation' | 'workspace',
  ) =>
  ({ people, consumer, workspace, guest, house }: Scene): Slot => {
    const person = personKey(people.nobody);
    const ids = {
      person,
      guestConnection: consumer,
      guest: guestIn(workspace, guest),
      organisation: house,
    };
    return { bound, scope, of: { ...ids, workspace }[scope] };
  };

const subjectOf = ({ consumer }: Scene) => ({ c: consumer });

/** A call whose name says that it ends or changes something makes nothing. */
type Ends =
  | `operator.${string}`
  | `${string}.${'cancel' | 'change' | 'close' | 'delete' | 'end' | 'out' | 'pause' | 'remove'}${string}`
  | `${string}.${'resume' | 'revoke' | 'set' | 'stop' | 'unbind' | 'withdraw'}${string}`;

/**
 * What each other call makes; or, in words, why nothing that it makes stays beside what there was.
 * A new one without a row does not compile.
 */
const makers: Readonly<Record<Exclude<Changing, Ends>, Maker | string>> = {
  'organisation.request': {
    by: 'nobody',
    slot: slot('requests', 'person'),
    call: (_, at) => ({ body: { name: `House ${at}`, type: 'house' } }),
  },
  'organisation.join': {
    by: 'nobody',
    slot: slot('vendors', 'workspace'),
    call: ({ invitations }, at) => ({
      body: { invitation: invitations[at] ?? '', new_vendor: `Vendor ${at}` },
    }),
  },
  'organisation.addWorkspace': {
    by: 'owner',
    slot: slot('workspaces', 'organisation'),
    call: (_, at) => ({ body: { name: `Workspace ${at}` } }),
  },
  'organisation.inviteMember': {
    by: 'owner',
    slot: slot('invitations', 'organisation'),
    call: () => ({ body: { role: 'viewer' } }),
  },
  'workspace.inviteVendor': {
    by: 'owner',
    slot: slot('invitations', 'workspace'),
    call: () => ({ body: terms }),
  },
  'connection.make': {
    by: 'guestEditor',
    slot: slot('connections', 'guest'),
    call: (_, at) => ({ body: { kind: 'consumer', app: `App ${at}`, receives: ['link.*'] } }),
  },
  'connection.permit': {
    by: 'guestEditor',
    slot: slot('systems', 'guest'),
    call: ({ producers }, at) => ({
      body: { system_ids: [`desk-${at}`] },
      subject: { c: producers[at] ?? '' },
    }),
  },
  'connection.addIssuer': {
    by: 'editor',
    slot: slot('issuers', 'organisation'),
    call: (_, at) => ({
      body: {
        ...{ issuer: `https://idp-${at}.example`, jwks_uri: `https://idp-${at}.example/keys` },
        ...{ audience: 'bus', client_claim: 'azp' },
      },
    }),
  },
  'connection.bindClient': {
    by: 'editor',
    slot: slot('clients', 'workspace'),
    call: ({ own }, at) => ({ body: { issuer, client: `client-${at}` }, subject: { c: own } }),
  },
  'connection.registerRole': {
    by: 'guestEditor',
    slot: scene => ({ ...slot('roles', 'guestConnection')(scene), max: limits.rolesPerConsumer }),
    call: (scene, at) => ({
      body: { role_arn: `arn:aws:iam::11112222333${at}:role/reader` },
      subject: subjectOf(scene),
    }),
  },
  'queue.startReplay': {
    by: 'guestEditor',
    slot: slot('replays', 'guestConnection'),
    call: scene => ({ body: range(), subject: subjectOf(scene) }),
  },
  'skill.register': {
    by: 'guestEditor',
    slot: slot('instances', 'guestConnection'),
    call: (scene, at) => ({ body: { file: instance(`i${at}`) }, subject: subjectOf(scene) }),
  },
  'check.start': {
    by: 'guestEditor',
    slot: slot('runs', 'guest'),
    call: ({ producers }, at) => ({
      body: { kind: 'producer' },
      subject: { c: producers[at] ?? '' },
    }),
  },
  'alert.make': {
    by: 'guestOwner',
    slot: slot('alerts', 'guest'),
    call: () => ({ body: { kind: 'refusals', threshold: 0, url: 'https://hooks.example' } }),
  },
  'connection.rotate': 'a connection has two secrets: the one before ends',
  'queue.skip': 'a consumer has 20 skips, written if nobody else skipped meanwhile',
  'skill.replace': 'one takes the place of another',
  'queue.countReplay': 'only counts',
  'organisation.invitation': 'only shows what was offered',
  'validate.message': 'a dry run records nothing',
  'validate.publish':
    'ends with the archive; its rate is limits.publishesByHand (test/portal/session.test.ts)',
  'alert.test': 'ten seconds apart, and nothing stays',
  'organisation.keepRefused': 'a choice',
  'workspace.startStoryOver': 'forgets',
};

let portal: PortalService;
beforeAll(async () => {
  portal = await startPortal();
});
afterAll(() => portal.close());

/** All places of a count but one, beside those that are taken. */
const fillUp = async (of: Slot): Promise<void> => {
  const table =
    portal.tables[of.bound === 'runs' || of.bound === 'replays' ? 'ledger' : 'registry'];
  const one = () =>
    writeWithin(table, [], { slots: [of], holders: [randomBytes(6).toString('hex')] });
  const max = of.max ?? maxOf(of.bound, of.scope) ?? 0;
  const before = await getItem(table, {
    Key: { pk: `BOUND#${of.bound}#${of.scope}#${of.of}`, sk: 'HOLDERS' },
    ConsistentRead: true,
  });
  const taken = before?.['holders'] instanceof Set ? before['holders'].size : 0;
  for (let count = taken; count < max - 1; count += 1) expect(await one()).toBeUndefined();
};

const attacked = Object.entries(makers).filter(
  (row): row is [Changing, Maker] => typeof row[1] !== 'string',
);

describe('of several at once, one gets the last place; the others are told which bound they met', () => {
  it.each(attacked)('limit.reached: %s', async (id, { by, slot: slotOf, call }) => {
    const scene = await sceneOf(portal.env, tries);
    await fillUp(slotOf(scene));
    const names = { o: scene.house, w: scene.workspace };
    const detail = async (c: string) =>
      (await portal.call('connection.show', { person: scene.people[by], subject: { ...names, c } }))
        .body;
    const responses = await Promise.all(
      Array.from({ length: tries }, async (_, at) => {
        const { body, subject = {} }: ReturnType<Maker['call']> = call(scene, at);
        const version =
          id.startsWith('connection.') && 'c' in subject
            ? (await detail(subject['c'] ?? ''))['version']
            : undefined;
        const person = scene.people[by];
        return portal.call(id, {
          person,
          subject: { ...names, ...subject },
          body: { ...body, version },
        });
      }),
    );
    const told = responses.map(({ status, body }) => `${status} ${body['code'] ?? ''}`).sort();
    expect(told).toEqual(['200 ', ...Array(tries - 1).fill('409 limit.reached')]);
    expect(portal.errors).toEqual([]);
  });
});

test('limit.reached: check-start, by the programs of a guest', async () => {
  const scene = await sceneOf(portal.env, tries);
  await fillUp(slot('runs', 'guest')(scene));
  const start = lambda(startRunFunction, portal.env, {
    answered: () => undefined,
    failed: () => undefined,
  });
  const responses = await Promise.all(
    scene.producers.map(connection =>
      start(
        proxyEvent({
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ kind: 'producer' }),
          pathParameters: { t: scene.workspace },
          requestContext: { authorizer: { connection, workspace: scene.workspace } },
        }),
      ),
    ),
  );
  const told = responses.map(
    ({ statusCode, body }) => `${statusCode} ${/limit.reached/.exec(body) ?? ''}`,
  );
  expect(told.sort()).toEqual(['201 ', ...Array(tries - 1).fill('409 limit.reached')]);
});

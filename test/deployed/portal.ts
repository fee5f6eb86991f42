import assert from 'node:assert/strict';
import {
  type Access,
  includesRole,
  type PortalCall,
  type PortalCallId,
  portalCallIds,
  portalCalls,
  roles,
} from '../../lib/contract/portal/portal.ts';
import { Browser } from '../portal/browser.ts';
import { PortalObjects, portalRows } from './portal-rows.ts';
import { openScene, type PersonName, people } from './portal-scene.ts';
import type { Run, World } from './world.ts';

/** Everybody who may make a call, by the table of calls. */
const standingsOf = (access: Access): readonly PersonName[] => {
  if (access === 'anybody' || access === 'person') return ['nobody'];
  const { own, invited, operator } = access;
  const allowed: readonly string[] = [
    ...roles.filter(role => own && includesRole(role, own)),
    ...roles.filter(role => invited && includesRole(role, invited)).map(role => `invited ${role}`),
    ...(operator ? ['operator'] : []),
  ];
  return people.filter(person => allowed.includes(person));
};

/** Signing out ends the session that other calls need. */
const inOrder: readonly PortalCallId[] = [
  ...portalCallIds.filter(id => id !== 'sign.out'),
  ...portalCallIds.filter(id => id === 'sign.out'),
];

/** Every call of the portal, once as everybody who may make it. */
export const everyPortalCall = async (run: Run, world: World): Promise<void> => {
  const { checks } = run;
  checks.step('Every call of the portal');
  let objects: PortalObjects | undefined;
  await checks.check(
    'people sign in through Cognito, ask for a house, and join by invitations',
    async () => {
      objects = new PortalObjects(await openScene(world));
    },
  );
  if (!objects) return;
  const scene = objects;
  for (const id of inOrder) {
    const { access }: PortalCall = portalCalls[id];
    const { ask = () => ({}), otherwise, after } = portalRows[id];
    for (const person of standingsOf(access))
      await checks.check(`${id} as ${person}`, async () => {
        const asked = await ask(scene, person);
        const { status, body } = await scene.as(person)(id, asked);
        const wanted = otherwise ? [otherwise.status] : [200, 303];
        assert.ok(wanted.includes(status), `${status} ${JSON.stringify(body).slice(0, 400)}`);
        if (otherwise) assert.equal(body.code, otherwise.code);
        checks.count('calls of the portal');
        await after?.(scene, person);
      });
  }
};

/** What somebody gets who is not signed in. */
export const signedOut = async ({ checks }: Run, { portalUrl }: World): Promise<void> => {
  await checks.check('a call without a session is 401', async () => {
    const response = await new Browser().request(`${portalUrl}/api/sign/session`, {
      headers: { 'x-sombus-portal': '1', 'sec-fetch-site': 'same-origin' },
    });
    assert.equal(response.status, 401);
  });
};

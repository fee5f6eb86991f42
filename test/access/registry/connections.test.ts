import {
  createApp,
  createOrganisation,
  createWorkspace,
} from '../../../lib/access/people/organisations.ts';
import { changePermissions, createConnection } from '../../../lib/access/registry/connections.ts';
import { problemWithUnknownTypes } from '../../../lib/access/registry/patterns.ts';
import { revokeConnection } from '../../../lib/access/registry/revoking.ts';
import { connectionOf } from '../../corpus/connections.ts';
import { usagePlansInMemory } from '../../support/fakes/usage-plans.ts';
import { registryHere } from '../../support/registry-here.ts';
import { settled } from '../../support/running-registry.ts';

const here = registryHere();
const none = { systemIds: [], grants: [], receives: [], sources: [] };

const newsroom = async () => {
  const organisation = (await createOrganisation(here.ports(), { name: 'house', tier: 'standard' }))
    .id;
  const workspace = settled(await createWorkspace(here.ports(), { name: 'desk', organisation })).id;
  return { organisation, workspace };
};

test('a connection that is declined for its system_id leaves no API key', async () => {
  const { workspace } = await newsroom();
  const { port: usagePlans, plans } = usagePlansInMemory();
  const assigned: string[] = [];
  const assign: typeof usagePlans.assign = (id, quota) => {
    assigned.push(id);
    return usagePlans.assign(id, quota);
  };
  const ports = { ...here.ports(), usagePlans: { ...usagePlans, assign } };
  const wanted = {
    ...none,
    kind: 'producer',
    workspace,
    systemIds: ['demo-ncs'],
    grants: ['*'],
  } as const;
  const { connection } = settled(await createConnection(ports, { ...wanted, app: 'ncs' }));
  expect(await createConnection(ports, { ...wanted, app: 'archive' })).toMatchObject({
    kind: 'declined',
    reason: expect.stringContaining('"demo-ncs"'),
  });
  expect(assigned).toHaveLength(2);
  expect([...plans.keys()]).toEqual([connection.id]);
});

test('a workspace that is revoked gets no connection', async () => {
  const { workspace } = await newsroom();
  await here.ports().directory.revoke('workspace', workspace);
  const wanted = { ...none, kind: 'consumer', workspace, app: 'ncs', receives: ['*'] } as const;
  expect(await createConnection(here.ports(), wanted)).toMatchObject({
    reason: `There is no active workspace ${workspace}.`,
  });
});

describe('a name that no queue takes', () => {
  const unfit = 'ncs\u0007one';
  const printable = { kind: 'declined', reason: expect.stringContaining('printable') };

  test.each(['name', 'id'] as const)(
    'is none to send as: a producer of an app from before names were checked, by its %s',
    async by => {
      const { organisation, workspace } = await newsroom();
      const id = organisation.replace('o', 'a');
      const app = {
        kind: 'app',
        id,
        name: unfit,
        organisation,
        status: 'active',
        createdAt: '',
      } as const;
      await here.ports().directory.add(app);
      const wanted = { ...none, kind: 'producer', workspace, app: app[by], grants: ['*'] } as const;
      expect(await createConnection(here.ports(), wanted)).toMatchObject(printable);
      expect(await here.ports().directory.list('app', organisation)).toHaveLength(1);
      expect(await here.ports().connections.ofWorkspace(workspace)).toEqual([]);
    },
  );

  test('is none for a new app', async () => {
    const { organisation } = await newsroom();
    expect(await createApp(here.ports(), { name: 'two\nlines', organisation })).toMatchObject(
      printable,
    );
    expect(await createApp(here.ports(), { name: 'Archiv Köln', organisation })).toMatchObject({
      kind: 'app',
    });
  });
});

describe('patterns that match no known message type', () => {
  test.each([
    ['story.contxt', 'story.context'],
    ['link', 'link.*'],
    ['links.*', 'link.*'],
    ['skill.warning', 'skill.warning.*'],
    ['telling.stared', 'telling.started'],
  ])('%s is refused, and %s is suggested', (pattern, meant) => {
    expect(problemWithUnknownTypes(['link.*', pattern])).toBe(
      `"${pattern}" matches no known message type. Did you mean "${meant}"?`,
    );
  });

  test('weather is refused without a suggestion', () => {
    expect(problemWithUnknownTypes(['weather'])).toBe('"weather" matches no known message type.');
  });

  test.each([
    '*',
    'story.context',
    'story.*',
    'skill.warning.*',
    'asset.ingested',
    'telling.proposed',
  ])('%s is known', pattern => {
    expect(problemWithUnknownTypes([pattern])).toBeUndefined();
  });

  test('are refused for a new connection, unless they are forced', async () => {
    const producer = { ...none, kind: 'producer', workspace: 'w1', app: 'a' } as const;
    const wanted = { ...producer, grants: ['story.contxt'] };
    const reason = expect.stringContaining('Did you mean "story.context"?');
    const refused = { kind: 'declined', reason, canForce: true };
    expect(await createConnection(here.ports(), wanted)).toEqual(refused);
    // The next check: the workspace.
    const forced = await createConnection(here.ports(), wanted, { force: true });
    expect(forced).toEqual({ kind: 'declined', reason: 'There is no active workspace w1.' });
  });

  test('are refused in a change, unless they are forced; earlier ones are not looked at again', async () => {
    const consumer = {
      ...connectionOf('cbbbbbbbbbbbb', 'consumer', 'w1'),
      systemIds: [],
      grants: [],
    };
    await here.keep(consumer);
    const change = (receives: readonly string[], force = false) =>
      changePermissions(here.ports(), consumer.id, { receives, force });
    expect(await change(['link'])).toMatchObject({ kind: 'declined' });
    expect(await change(['link'], true)).toMatchObject({ receives: ['link'] });
    const sources = await changePermissions(here.ports(), consumer.id, { sources: ['desk-1'] });
    expect(sources).toMatchObject({ receives: ['link'], sources: ['desk-1'] });
  });
});

describe('revoking a connection', () => {
  const unreachable = new Error('The service does not answer.');
  const failing = () => Promise.reject(unreachable);

  test.each<[string, { readonly queueAdmin?: object; readonly usagePlans?: object }]>([
    ['its queue cannot be closed to its readers', { queueAdmin: { letRead: failing } }],
    ['its queue cannot be deleted', { queueAdmin: { remove: failing } }],
    ['its usage plan cannot be removed', { usagePlans: { remove: failing } }],
  ])(
    'fails, so that the operator repeats it, if %s; its tokens stop working',
    async (_what, broken) => {
      const consumer = connectionOf('cccccccccccca', 'consumer', 'w2');
      await here.keep(consumer);
      const ports = here.ports();
      const queueAdmin = { ...ports.queueAdmin, ...broken.queueAdmin };
      const usagePlans = { ...ports.usagePlans, ...broken.usagePlans };
      const revoking = revokeConnection({ ...ports, queueAdmin, usagePlans }, consumer.id);
      await expect(revoking).rejects.toBe(unreachable);
      expect((await ports.connections.find(consumer.id))?.connection.status).toBe('revoked');
    },
  );

  test('is nothing to do for an unknown one', async () => {
    expect(await revokeConnection(here.ports(), 'cccccccccccccc')).toBe(false);
  });
});

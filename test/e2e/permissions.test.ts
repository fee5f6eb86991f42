import { bearer, call, post, ruleOf } from '../support/http-client.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import { serviceHere } from '../support/one-service.ts';

const bus = serviceHere();

const create = async (kind: string, app: string, ...options: readonly string[]) => {
  const made = await bus.run(
    ...['connection', 'create', '--workspace', bus.ready.workspace, '--kind', kind, '--app', app],
    ...options,
  );
  return made.record;
};
const permit = (id: string, ...options: readonly string[]) => bus.run('connection', 'permit', id, ...options);

test('a producer may get another system and type and keeps its secret; options left out change nothing', async () => {
  const made = await create('producer', 'graphics', '--system-id', 'gfx-1', '--grant', 'link.*');
  const { code, record } = await permit(made.connection_id, '--grant', 'story.context', '--grant', 'link.*');
  expect([code, record]).toMatchObject([
    0,
    { system_ids: ['gfx-1'], grants: ['story.context', 'link.*'], credential_version: 1 },
  ]);
  await permit(made.connection_id, '--system-id', 'gfx-1', '--system-id', 'gfx-2', '--system-id', 'gfx-2');
  const shown = (await bus.run('connection', 'show', made.connection_id)).record;
  expect(shown).toMatchObject({ system_ids: ['gfx-1', 'gfx-2'], grants: ['story.context', 'link.*'] });
  const token = await bearer(bus.base, {
    client_id: made.connection_id,
    client_secret: made.client_secret,
  });
  const originating_system = { system_id: 'gfx-2', system_type: 'graphics' };
  const story = storyContext({ story_id: 'permitted' }, { originating_system });
  expect((await post(`${bus.tenant}/messages`, token, story)).status).toBe(202);
  const telling = await post(
    `${bus.tenant}/messages`,
    token,
    linkCommitted({ originating_system: { system_id: 'gfx-3', system_type: 'graphics' } }),
  );
  expect([telling.status, ruleOf(telling)]).toEqual([403, 'producer.system_id_not_allowed']);
});

test('a consumer receives other types and systems from then on', async () => {
  const made = await create('consumer', 'archive', '--receive', 'story.context', '--source', 'elsewhere');
  const client = { client_id: made.connection_id, client_secret: made.client_secret };
  const changed = await permit(made.connection_id, '--receive', 'link.*', '--every-source');
  expect(changed.record).toMatchObject({ receives: ['link.*'], sources: [] });
  const producer = await bearer(bus.base, bus.ready.producer);
  expect((await post(`${bus.tenant}/messages`, producer, linkCommitted())).status).toBe(202);
  const { body } = await call(`${bus.tenant}/consumers/${made.connection_id}/messages?wait=5`, {
    headers: { authorization: await bearer(bus.base, client) },
  });
  expect(body['messages']).toMatchObject([{ message_type: 'link.committed' }]);
});

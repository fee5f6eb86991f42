import { randomUUID } from 'node:crypto';
import { createGuestConnection } from '../../lib/access/people/guests.ts';
import { changePermissions } from '../../lib/access/registry/connections.ts';
import { localEnv } from '../../lib/local/env.ts';
import { operatorKeyIn } from '../../lib/local/roles.ts';
import { ledger } from '../../lib/wiring/publishing.ts';
import { bearer, post, statusAndRule } from '../support/http-client.ts';
import { storyContext } from '../support/messages.ts';
import { settled } from '../support/running-registry.ts';
import { portalHere, subject } from './portal-people.ts';

const portal = portalHere();
const { bus, viewer, editor, guest } = portal;

const correlation_id = randomUUID();
const story = 'a-story.that-nobody-can-pass';
const snapshot = (system_id: string, payload: object = {}) =>
  storyContext(
    { story_id: story, ...payload },
    { correlation_id, originating_system: { system_id, system_type: 'ncs' } },
  );

/** A guest's message with a sequence_number of 309 digits. */
const huge = () =>
  JSON.stringify(snapshot('Guest desk', { updated_at: '2999-01-01T00:00:00Z' })).replace(
    '"sequence_number":1',
    `"sequence_number":1${'0'.repeat(308)}`,
  );

const publishAsGuest = async (): Promise<void> => {
  const place = {
    workspace: bus.ready.workspace,
    organisation: portal.made.vendor,
    app: 'Guest desk',
  };
  const lists = { systemIds: ['Guest desk'], grants: ['link.*'], sources: [], receives: [] };
  const made = settled(
    await createGuestConnection(bus.registry, { ...lists, ...place, kind: 'producer' }),
  );
  const { id } = made.connection;
  settled(await changePermissions(bus.registry, id, { grants: ['story.*'] }));
  const token = await bearer(bus.base, { client_id: id, client_secret: made.clientSecret });
  expect((await post(`${bus.tenant}/messages`, token, huge())).status).toBe(202);
};

const publishAsHouse = async (payload: object = {}) => {
  const token = await bearer(bus.base, bus.ready.producer);
  return statusAndRule(await post(`${bus.tenant}/messages`, token, snapshot('demo-ncs', payload)));
};

const page = async (person: typeof viewer) =>
  (await person('workspace.story', { query: { correlation: correlation_id } })).body;

const named = { story, confirm: story };

/** Of the snapshot that the story's page shows. */
const reset = async (person: typeof viewer, body?: object) => {
  const { version: seen = 1 } = (await page(person)).last_snapshot ?? {};
  return person('workspace.startStoryOver', { body: body ?? { ...named, seen_snapshot: seen } });
};

test('an editor of the house starts a story over that a guest made impossible to continue', async () => {
  await publishAsGuest();
  expect(await publishAsHouse()).toEqual([409, 'sequence_number.not_increasing']);
  expect(await page(viewer)).toMatchObject({ story_id: story, may_start_over: false });
  expect(await page(guest)).toMatchObject({ story_id: story, may_start_over: false });
  expect((await page(viewer)).last_snapshot).toBeUndefined();
  expect((await page(guest)).last_snapshot).toBeUndefined();
  expect(await page(editor)).toMatchObject({
    story_id: story,
    may_start_over: true,
    last_snapshot: {
      version: 1,
      sequence_number: `1${'0'.repeat(39)}…`,
      updated_at: '2999-01-01T00:00:00Z',
    },
  });
  expect((await reset(viewer)).status).toBe(403);
  expect((await reset(guest)).status).toBe(403);
  const wrong: object[] = [{}, { story }, { story, confirm: 'another' }, named];
  for (const seen of ['1', null, 1.5]) wrong.push({ ...named, seen_snapshot: seen });
  for (const body of wrong) expect((await reset(editor, body)).status).toBe(400);
  expect(await publishAsHouse()).toEqual([409, 'sequence_number.not_increasing']);

  const done = await reset(editor);
  expect([done.status, done.body]).toEqual([200, { started_over_at: expect.any(String) }]);
  const { started_over_at } = done.body;
  expect(await page(editor)).toMatchObject({
    started_over_at,
    may_start_over: false,
    messages: [{}],
  });
  expect((await portal.changes())[0]).toMatchObject({
    what: 'story.reset',
    by: subject('editor'),
    facts: { workspace: bus.ready.workspace, story },
  });
  const again = await reset(editor);
  expect([again.status, again.body.message]).toEqual([
    409,
    expect.stringContaining('The bus remembers no snapshot of the story'),
  ]);

  expect(await publishAsHouse()).toEqual([202, undefined]);
  expect(await publishAsHouse()).toEqual([409, 'sequence_number.not_increasing']);
  expect(await publishAsHouse({ sequence_number: 2 })).toEqual([202, undefined]);
  expect(await page(editor)).toMatchObject({
    story_id: story,
    started_over_at,
    may_start_over: true,
    messages: Array(3).fill(expect.objectContaining({ message_type: 'story.context' })),
  });
});

test('a snapshot that the person has not seen is not forgotten', async () => {
  const seen = (await page(editor)).last_snapshot;
  expect(seen).toMatchObject({ sequence_number: '2' });
  expect(await publishAsHouse({ sequence_number: 3 })).toEqual([202, undefined]);
  const stale = await reset(editor, { ...named, seen_snapshot: seen.version });
  expect([stale.status, stale.body.code, stale.body.message]).toEqual([
    409,
    'portal.changed',
    expect.stringContaining('Nothing was forgotten'),
  ]);
  expect(stale.body.message).toContain('sequence_number 3');
  expect(await page(editor)).toMatchObject({ last_snapshot: { sequence_number: '3' } });
  expect(await publishAsHouse({ sequence_number: 3 })).toEqual([
    409,
    'sequence_number.not_increasing',
  ]);
});

test('a publish that was judged by the forgotten snapshot is judged again', async () => {
  const { workspace } = bus.ready;
  const { stories } = bus.registry;
  const { base_url, endpoints } = bus.ready;
  const env = localEnv(new URL(base_url).origin, endpoints, operatorKeyIn(bus.data));
  const known = ledger(env);
  const of = { workspace, correlationId: correlation_id, storyId: story, messageId: randomUUID() };
  const before = await known.read(of);
  const { version = 0 } = before.story ?? {};
  expect(await stories.startOver(workspace, story, { version, now: Date.now() })).toBe(true);
  const after = await known.read(of);
  expect([before.story?.state?.sequenceNumber, after.story?.state]).toEqual([3n, undefined]);
  expect(after.story?.version).toBe(version + 1);
  expect(await publishAsHouse()).toEqual([202, undefined]);
});

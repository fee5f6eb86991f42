import { bearer, post } from '../support/http-client.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import { type Portal, portalHere } from './portal-people.ts';

const portal = portalHere();
const { bus, viewer, guest, editor } = portal;

const dryRun = (c: string, body: object, person = viewer) =>
  person('validate.message', { subject: { c }, body });

const producer = () => bus.ready.producer.client_id;

test.each([
  ['a valid message', () => JSON.stringify(linkCommitted())],
  ['one with a wrong payload', () => JSON.stringify(linkCommitted({ payload: {} }))],
  [
    'one of another system',
    () => JSON.stringify(linkCommitted({ originating_system: { system_id: 'x' } })),
  ],
  ['no JSON', () => '{'],
  ['a member that is there twice', () => '{"som_version": "1.0.0", "som_version": "1.0.0"}'],
])('%s gets the verdict of the bus, by the same status and words', async (_what, text) => {
  const message = text();
  const authorization = await bearer(bus.base, bus.ready.producer);
  const direct = await post(`${bus.tenant}/validate`, authorization, message);
  const { status, body } = await dryRun(producer(), { text: message });
  expect(status).toBe(200);
  expect(body).toEqual({ status: direct.status, verdict: direct.body });
});

test('a snapshot is compared with the last one of its story, and nothing is recorded', async () => {
  const first = storyContext();
  const authorization = await bearer(bus.base, bus.ready.producer);
  expect((await post(`${bus.tenant}/messages`, authorization, first)).status).toBe(202);
  const payload = { ...(first['payload'] as object), headline: 'Later' };
  const second = storyContext(payload, { correlation_id: first['correlation_id'] });
  const { body } = await dryRun(producer(), { text: JSON.stringify(second) });
  expect(body.verdict.violations).toMatchObject([{ rule: 'sequence_number.not_increasing' }]);
  const unseen = await viewer('workspace.message', {
    subject: { m: String(second['message_id']) },
  });
  expect(unseen.status).toBe(404);
});

test('bytes that are no UTF-8 come as base64, and too many are too many', async () => {
  const { body } = await dryRun(producer(), {
    base64: Buffer.from([0xff, 0xfe]).toString('base64'),
  });
  expect(body.verdict.violations).toMatchObject([{ rule: 'message.not_json' }]);
  const large = await dryRun(producer(), { text: ' '.repeat(240_001) });
  expect([large.body.status, large.body.verdict.violations[0].rule]).toEqual([
    413,
    'message.too_large',
  ]);
  expect((await dryRun(producer(), {})).status).toBe(400);
});

test('a paused or receiving connection would be refused, and says so', async () => {
  expect((await dryRun(bus.ready.consumer.client_id, { text: '{}' })).body).toMatchObject({
    status: 403,
    verdict: { violations: [{ rule: 'producer.not_registered' }] },
  });
});

test('a vendor asks for its own connections only', async () => {
  const text = JSON.stringify(storyContext());
  const own = await dryRun(portal.made.guest, { text }, guest);
  expect(own.body.verdict.violations.map((one: { rule: string }) => one.rule)).toContain(
    'producer.message_type_not_allowed',
  );
  expect((await dryRun(producer(), { text }, guest)).status).toBe(404);
});

const publish = (person: Portal, c: string, message: object) =>
  person('validate.publish', { subject: { c }, body: { text: JSON.stringify(message) } });

test('an editor publishes as a connection: it is accepted, delivered, repeated, refused and recorded as any publish', async () => {
  const message = linkCommitted();
  const m = String(message['message_id']);
  const first = await publish(editor, producer(), message);
  expect([first.status, first.body]).toMatchObject([
    200,
    { status: 202, verdict: { message_id: m } },
  ]);
  const facts = { workspace: bus.ready.workspace, connection: producer(), message: m };
  const recorded = async () =>
    (await portal.changes()).filter(({ what }: { what: string }) => what === 'message.publish');
  expect(await recorded()).toMatchObject([{ by: 'the-editor', facts }]);
  const again = await publish(editor, producer(), message);
  expect(again.body).toMatchObject({ status: 200, verdict: { duplicate: true } });
  const refused = await publish(editor, producer(), linkCommitted({ payload: {} }));
  expect(refused.body).toMatchObject({ status: 400, verdict: { accepted: false } });
  const life = await viewer('workspace.message', { subject: { m } });
  const consumers = [{ connection_id: bus.ready.consumer.client_id, state: 'queued' }];
  expect(life.body).toMatchObject({ verdict: 'accepted', producer_id: producer(), consumers });
  expect(await recorded()).toHaveLength(1);
});

test('the next number of a story comes with each of its snapshots', async () => {
  const first = storyContext({ sequence_number: 7 });
  expect((await publish(editor, producer(), first)).body.status).toBe(202);
  const content = await viewer('workspace.content', {
    subject: { m: String(first['message_id']) },
  });
  expect(content.body.next_sequence_number).toBe('8');
});

test('nobody publishes as the connection of somebody else, and nothing of it is recorded', async () => {
  const message = linkCommitted();
  expect((await publish(viewer, producer(), message)).status).toBe(403);
  expect((await publish(guest, producer(), message)).status).toBe(404);
  expect((await publish(portal.as('owner elsewhere'), producer(), message)).status).toBe(404);
  const subject = { m: String(message['message_id']) };
  expect((await viewer('workspace.message', { subject })).status).toBe(404);
});

test('a vendor publishes as its own connection, within what that may send', async () => {
  const system_id = 'prompter';
  const own = linkCommitted({ originating_system: { system_id, system_type: 'mos' } });
  expect((await publish(guest, portal.made.guest, own)).status).toBe(200);
  const other = await publish(guest, portal.made.guest, storyContext());
  expect(JSON.stringify(other.body.verdict)).toContain('producer.message_type_not_allowed');
});

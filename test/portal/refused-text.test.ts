import { DynamoDBClient, type PutItemCommand } from '@aws-sdk/client-dynamodb';
import { awsRefusedTexts } from '../../lib/activity/refused-texts.dynamodb.ts';
import { clientConfig } from '../../lib/aws/clients.ts';
import { daySeconds } from '../../lib/contract/limits.ts';
import { localEnv, localTables } from '../../lib/local/env.ts';
import { operatorKeyIn } from '../../lib/local/roles.ts';
import { createGuestConnection } from '../../lib/registry/guests.ts';
import { bearer, post } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { serviceHere } from '../support/one-service.ts';
import { houseOf, type Portal, populate, portalOf } from './portal-people.ts';

const bus = serviceHere();

let people: Readonly<Record<'viewer' | 'owner' | 'editor' | 'guest' | 'invited', Portal>>;
let vendor: string;
let guest: { readonly client_id: string; readonly client_secret: string };
beforeAll(async () => {
  const made = await populate(bus);
  vendor = made.vendor;
  const connected = await createGuestConnection(bus.registry, {
    kind: 'producer',
    workspace: bus.ready.workspace,
    app: 'Autocue',
    systemIds: ['autocue'],
    grants: ['link.*'],
    receives: [],
    sources: [],
    organisation: vendor,
  });
  if (connected.kind === 'declined') throw new Error(connected.reason);
  guest = { client_id: connected.connection.id, client_secret: connected.clientSecret };
  const names = ['viewer', 'owner', 'editor', 'invited owner', 'invited viewer'];
  const [viewer, owner, editor, guestOwner, invited] = await Promise.all(
    names.map(name => portalOf(bus, name)),
  );
  if (!viewer || !owner || !editor || !guestOwner || !invited) throw new Error('Somebody is missing.');
  people = { viewer, owner, editor, guest: guestOwner, invited };
});

let count = 0;
/** Sends something wrong. @returns what a page asks for its text with */
const refuse = async (client: typeof guest, padding = 0) => {
  count += 1;
  const id = `a4f0f0c0-0000-4000-8000-${String(count).padStart(12, '0')}`;
  const message = linkCommitted({ message_id: id, som_version: `wrong${'x'.repeat(padding)}` });
  const sent = await post(`${bus.tenant}/messages`, await bearer(bus.base, client), message);
  expect(sent.status).toBe(400);
  const { body } = await people.owner('workspace.message', { subject: { m: id } });
  const [{ refused_at: at, connection_id: c }] = body.refusals;
  return { text: JSON.stringify(message), asked: { subject: { c }, query: { at, message: id } } };
};

const keep = (person: Portal, o: string, wanted: unknown) =>
  person('organisation.keepRefused', { subject: { o }, body: { keep: wanted } });

const textOf = async (person: Portal, { asked }: Awaited<ReturnType<typeof refuse>>) => {
  const { status, body } = await person('connection.refusedText', asked);
  return status === 200 ? Buffer.from(body.content, 'base64').toString() : status;
};

test('nothing is kept unless an owner wants it', async () => {
  const refused = await refuse(bus.ready.producer);
  expect(await textOf(people.viewer, refused)).toBe(404);
  const o = await houseOf(bus);
  expect((await keep(people.editor, o, true)).status).toBe(403);
  expect((await keep(people.guest, o, true)).status).toBe(404);
  expect((await keep(people.owner, o, 'yes')).status).toBe(400);
  expect((await keep(people.owner, o, true)).status).toBe(200);
  expect((await people.viewer('organisation.show', { subject: { o } })).body.keeps_refused).toBe(true);
  // What came before was not kept.
  expect(await textOf(people.viewer, refused)).toBe(404);
});

test('members of the producer’s organisation read it exactly as it was sent; nobody else does', async () => {
  const own = await refuse(bus.ready.producer);
  expect(await textOf(people.viewer, own)).toBe(own.text);
  expect(await textOf(people.invited, own)).toBe(404);
  await keep(people.guest, vendor, true);
  const theirs = await refuse(guest);
  expect(await textOf(people.invited, theirs)).toBe(theirs.text);
  expect(await textOf(people.owner, theirs)).toBe(404);
});

test('more than 32 KB are not kept', async () => {
  expect(await textOf(people.viewer, await refuse(bus.ready.producer, 33_000))).toBe(404);
});

test('a text that is no JSON, or has no id, is kept too; bytes that are no text are not', async () => {
  const token = await bearer(bus.base, bus.ready.producer);
  const { client_id: c } = bus.ready.producer;
  const w = bus.ready.workspace;
  for (const [sent, kept] of [
    ['{"message_id": "é', '{"message_id": "é'],
    ['{"topic":"x"}', '{"topic":"x"}'],
    [Buffer.of(0x22, 0xff, 0x22), 404],
  ] as const) {
    const headers = { authorization: token, 'content-type': 'application/json' };
    const { status } = await fetch(`${bus.tenant}/messages`, { method: 'POST', headers, body: sent });
    expect(status).toBe(400);
    const { body } = await people.owner('workspace.activity', { subject: { w }, query: { kind: 'refused' } });
    const asked = { subject: { c }, query: { at: body.activity[0].at, message: '' } };
    expect(await textOf(people.viewer, { text: '', asked })).toBe(kept);
  }
});

test('a time or id that cannot be is no error', async () => {
  const c = bus.ready.producer.client_id;
  const asked = (query: Record<string, string>) =>
    people.viewer('connection.refusedText', { subject: { c }, query });
  expect((await asked({ at: 'yesterday' })).status).toBe(400);
  expect((await asked({ at: '2026-05-04T09:00:00.000Z', message: 'x'.repeat(1_000) })).status).toBe(400);
});

const textsHere = () => {
  const { base_url, endpoints } = bus.ready;
  const env = localEnv(new URL(base_url).origin, endpoints, operatorKeyIn(bus.data));
  const table = { client: new DynamoDBClient(clientConfig(env, 'DYNAMODB')), name: localTables.activity };
  return { table, texts: awsRefusedTexts(table) };
};

test('it is there for a day, whenever the table deletes it; and not when the owner wants it no more', async () => {
  const { texts } = textsHere();
  const refused = await refuse(bus.ready.producer);
  const { c: connection } = refused.asked.subject;
  const { at, message: messageId } = refused.asked.query;
  const named = { connection, at: Date.parse(at), messageId };
  const end = named.at + daySeconds * 1000;
  expect(await texts.find(named, end - 1000)).toBeDefined();
  expect(await texts.find(named, end + 1000)).toBeUndefined();
  await keep(people.owner, await houseOf(bus), false);
  expect(await textOf(people.viewer, refused)).toBe(404);
  const { body } = await people.owner('organisation.changes', { subject: { o: await houseOf(bus) } });
  expect(body.changes[0]).toMatchObject({ what: 'refused.keep', by: 'the-owner', facts: { keep: 'false' } });
});

test('what was kept before an owner switched it off does not come back when it is on again', async () => {
  const o = await houseOf(bus);
  await keep(people.owner, o, true);
  const before = await refuse(bus.ready.producer);
  expect(await textOf(people.viewer, before)).toBe(before.text);
  await keep(people.owner, o, false);
  await keep(people.owner, o, true);
  const after = await refuse(bus.ready.producer);
  expect([await textOf(people.viewer, before), await textOf(people.viewer, after)]).toEqual([
    404,
    after.text,
  ]);
});

test('of two owners who switch it on at once, the slower changes nothing', async () => {
  const { texts, table } = textsHere();
  const send = async (command: PutItemCommand) => {
    await texts.setKeeps('o', { keep: true, now: 1 });
    return table.client.send(command);
  };
  const slower = awsRefusedTexts({ ...table, client: { send } as unknown as DynamoDBClient });
  await slower.setKeeps('o', { keep: true, now: 2 });
  expect(await texts.keptSince('o')).toBe(1);
});

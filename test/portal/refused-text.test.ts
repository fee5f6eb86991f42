import { DynamoDBClient, type PutItemCommand } from '@aws-sdk/client-dynamodb';
import { createGuestConnection } from '../../lib/access/people/guests.ts';
import { awsRefusedTexts } from '../../lib/bus/activity/refused-texts.dynamodb.ts';
import { daySeconds } from '../../lib/contract/limits.ts';
import { localEnv, localTables } from '../../lib/local/env.ts';
import { operatorKeyIn } from '../../lib/local/roles.ts';
import { clientConfig } from '../../lib/platform/aws/clients.ts';
import { bearer, post } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { settled } from '../support/running-registry.ts';
import { type Portal, portalHere } from './portal-people.ts';

const portal = portalHere();
const { bus, viewer, owner, editor, as } = portal;
const [guest, invited] = [as('invited owner'), as('invited viewer')];
const house = () => portal.made.organisation;

interface Credentials {
  readonly client_id: string;
  readonly client_secret: string;
}

let count = 0;
/** Sends something wrong. @returns what a page asks for its text with */
const refuse = async (client: Credentials = bus.ready.producer, padding = 0) => {
  count += 1;
  const id = `a4f0f0c0-0000-4000-8000-${String(count).padStart(12, '0')}`;
  const message = linkCommitted({ message_id: id, som_version: `wrong${'x'.repeat(padding)}` });
  const sent = await post(`${bus.tenant}/messages`, await bearer(bus.base, client), message);
  expect(sent.status).toBe(400);
  const { body } = await owner('workspace.message', { subject: { m: id } });
  const [{ refused_at: at, connection_id: c }] = body.refusals;
  return { text: JSON.stringify(message), subject: { c }, query: { at, message: id } };
};

const keep = (person: Portal, o: string, wanted: unknown) =>
  person('organisation.keepRefused', { subject: { o }, body: { keep: wanted } });

const textOf = async (person: Portal, { subject, query }: Parameters<Portal>[1] & object) => {
  const { status, body } = await person('connection.refusedText', {
    subject: subject ?? {},
    query: query ?? {},
  });
  return status === 200 ? Buffer.from(body.content, 'base64').toString() : status;
};

test('nothing is kept unless an owner wants it', async () => {
  const refused = await refuse();
  expect(await textOf(viewer, refused)).toBe(404);
  const o = house();
  expect((await keep(editor, o, true)).status).toBe(403);
  expect((await keep(guest, o, true)).status).toBe(404);
  expect((await keep(owner, o, 'yes')).status).toBe(400);
  expect((await keep(owner, o, true)).status).toBe(200);
  expect((await viewer('organisation.show', { subject: { o } })).body.keeps_refused).toBe(true);
  // What came before was not kept.
  expect(await textOf(viewer, refused)).toBe(404);
});

test('members of the producer’s organisation read it exactly as it was sent; nobody else does', async () => {
  const own = await refuse();
  expect(await textOf(viewer, own)).toBe(own.text);
  expect(await textOf(invited, own)).toBe(404);
  const { vendor: organisation } = portal.made;
  await keep(guest, organisation, true);
  const lists = { systemIds: ['autocue'], grants: ['link.*'], receives: [], sources: [] };
  const wanted = {
    ...lists,
    kind: 'producer',
    workspace: bus.ready.workspace,
    organisation,
  } as const;
  const made = settled(await createGuestConnection(bus.registry, { ...wanted, app: 'Autocue' }));
  const theirs = await refuse({ client_id: made.connection.id, client_secret: made.clientSecret });
  expect(await textOf(invited, theirs)).toBe(theirs.text);
  expect(await textOf(owner, theirs)).toBe(404);
});

test('more than 32 KB are not kept', async () => {
  expect(await textOf(viewer, await refuse(bus.ready.producer, 33_000))).toBe(404);
});

test('a text that is no JSON, or has no id, is kept too; bytes that are no text are not', async () => {
  const authorization = await bearer(bus.base, bus.ready.producer);
  const subject = { c: bus.ready.producer.client_id };
  for (const [sent, kept] of [
    ['{"message_id": "é', '{"message_id": "é'],
    ['{"topic":"x"}', '{"topic":"x"}'],
    [Buffer.of(0x22, 0xff, 0x22), 404],
  ] as const) {
    const headers = { authorization, 'content-type': 'application/json' };
    const { status } = await fetch(`${bus.tenant}/messages`, {
      method: 'POST',
      headers,
      body: sent,
    });
    expect(status).toBe(400);
    const { body } = await owner('workspace.activity', { query: { kind: 'refused' } });
    expect(await textOf(viewer, { subject, query: { at: body.activity[0].at, message: '' } })).toBe(
      kept,
    );
  }
});

test.each([{ at: 'yesterday' }, { at: '2026-05-04T09:00:00.000Z', message: 'x'.repeat(1_000) }])(
  'a time or id that cannot be is no error of ours: %.40j',
  async query => {
    expect(await textOf(viewer, { subject: { c: bus.ready.producer.client_id }, query })).toBe(400);
  },
);

const textsHere = () => {
  const { base_url, endpoints } = bus.ready;
  const env = localEnv(new URL(base_url).origin, endpoints, operatorKeyIn(bus.data));
  const table = {
    client: new DynamoDBClient(clientConfig(env, 'DYNAMODB')),
    name: localTables.activity,
  };
  return { table, texts: awsRefusedTexts(table) };
};

test('it is there for a day, whenever the table deletes it', async () => {
  const { texts } = textsHere();
  const { subject, query } = await refuse();
  const named = { connection: subject.c, at: Date.parse(query.at), messageId: query.message };
  const end = named.at + daySeconds * 1000;
  expect(await texts.find(named, end - 1000)).toBeDefined();
  expect(await texts.find(named, end + 1000)).toBeUndefined();
});

test('an owner who wants it no more has none, and what was kept before does not come back', async () => {
  const before = await refuse();
  expect(await textOf(viewer, before)).toBe(before.text);
  await keep(owner, house(), false);
  expect(await textOf(viewer, before)).toBe(404);
  expect((await portal.changes())[0]).toMatchObject({
    ...{ what: 'refused.keep', by: 'the-owner', facts: { keep: 'false' } },
  });
  await keep(owner, house(), true);
  const after = await refuse();
  expect([await textOf(viewer, before), await textOf(viewer, after)]).toEqual([404, after.text]);
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

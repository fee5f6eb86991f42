import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashSecret } from '../../lib/access/registry/connection.ts';
import { declined } from '../../lib/access/registry/declined.ts';
import { keptSecret, parseSeed, readSeed, resultOrThrow, seed } from '../../lib/local/seed.ts';
import { registryHere } from '../support/registry-here.ts';
import { temporaryFolder } from '../support/service-process.ts';

const here = registryHere();
const folder = temporaryFolder();
afterAll(folder.remove);

const secret = (letter: string) => `sbs_${letter.repeat(43)}`;
const whole = {
  organisation: 'oaaaaaaaaaaaa',
  workspace: 'waaaaaaaaaaaa',
  producer: { client_id: 'caaaaaaaaaaaa', client_secret: secret('a'), system_id: 'demo-ncs' },
  consumer: { client_id: 'cbbbbbbbbbbbb', client_secret: secret('b') },
};
const damaged = 'The file /data/credentials.json is damaged: restore the data folder from a copy.';

test('the demo workspace has a producer that sends everything, and a consumer that receives it', async () => {
  const ports = here.ports();
  const made = await seed(ports);
  expect(parseSeed(made, 'here')).toEqual(made);
  const { organisation, workspace, producer, consumer } = made;
  expect(await ports.directory.find('organisation', organisation)).toMatchObject({
    name: 'Demo Broadcaster',
    type: 'house',
    status: 'active',
    tier: 'high',
  });
  expect(await ports.directory.find('workspace', workspace)).toMatchObject({
    name: 'Demo Newsroom',
    organisation,
  });
  const common = { status: 'active', organisation, workspace, tier: 'high', sources: [] };
  const [sends, receives] = [
    await ports.connections.find(producer.client_id),
    await ports.connections.find(consumer.client_id),
  ];
  expect(sends?.connection).toMatchObject({
    ...common,
    kind: 'producer',
    systemIds: ['demo-ncs'],
    grants: ['*'],
    receives: [],
  });
  expect(receives?.connection).toMatchObject({
    ...common,
    kind: 'consumer',
    systemIds: [],
    grants: [],
    receives: ['*'],
  });
  expect(producer.system_id).toBe('demo-ncs');
  const apps = await ports.directory.list('app', organisation);
  expect(apps.map(({ name }) => name).toSorted()).toEqual(['demo-ncs', 'demo-playout']);
  const kept = await ports.connections.credentialsOf([producer.client_id, consumer.client_id]);
  for (const { client_id, client_secret } of [producer, consumer])
    expect(JSON.stringify(kept.get(client_id))).toContain(hashSecret(client_secret));
});

test('a refusal that nobody can act on is thrown', () => {
  expect(resultOrThrow({ kind: 'connection' })).toEqual({ kind: 'connection' });
  expect(() => resultOrThrow(declined('There are too many.'))).toThrow('There are too many.');
});

describe('the credentials of a data folder', () => {
  test('are read as they were written, and nothing beside them', () => {
    expect(parseSeed({ ...whole, more: 1 }, 'here')).toEqual(whole);
    expect(parseSeed({ ...whole, consumer: { ...whole.consumer, more: 1 } }, 'here')).toEqual(
      whole,
    );
  });

  test.each<[string, unknown]>([
    ['no object', 'text'],
    ['nothing', undefined],
    ['no organisation', { ...whole, organisation: whole.workspace }],
    ['no workspace', { ...whole, workspace: whole.organisation }],
    ['no system', { ...whole, producer: { ...whole.producer, system_id: '' } }],
    ['no producer', { ...whole, producer: undefined }],
    ['no consumer', { ...whole, consumer: undefined }],
    ['no client', { ...whole, consumer: { ...whole.consumer, client_id: 'c;rm -rf' } }],
    ['no secret', { ...whole, consumer: { ...whole.consumer, client_secret: 'sbs_$(id)' } }],
    ['another client of the producer', { ...whole, producer: { ...whole.producer, client_id: 1 } }],
  ])('are damaged if they hold %s', (_, value) => {
    expect(() => parseSeed(value, '/data/credentials.json')).toThrow(damaged);
  });

  test('are absent before the first start, and named when they are damaged', () => {
    expect(readSeed(folder.path)).toBeUndefined();
    const path = join(folder.path, 'credentials.json');
    writeFileSync(path, JSON.stringify(whole));
    expect(readSeed(folder.path)).toEqual(whole);
    writeFileSync(path, '{');
    expect(() => readSeed(folder.path)).toThrow(`The file ${path} is damaged`);
  });

  test('tell the secret of either demo connection, and of no other', () => {
    expect(keptSecret(whole, 'caaaaaaaaaaaa')).toBe(secret('a'));
    expect(keptSecret(whole, 'cbbbbbbbbbbbb')).toBe(secret('b'));
    expect(keptSecret(whole, 'ccccccccccccc')).toBeUndefined();
    expect(keptSecret(undefined, 'caaaaaaaaaaaa')).toBeUndefined();
  });
});

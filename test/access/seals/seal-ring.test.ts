import { randomBytes } from 'node:crypto';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { SealContext } from '../../../lib/access/seals/seal.ts';
import { awsSealRings, awsSeals } from '../../../lib/access/seals/seal-ring.dynamodb.ts';
import { replaceSeals, rotateSeals } from '../../../lib/access/seals/seal-ring.ts';
import { limits } from '../../../lib/contract/limits.ts';
import { deleteItem, putItem } from '../../../lib/platform/aws/table.ts';
import { answering } from '../../support/fakes/aws-clients.ts';
import { frozenClock } from '../../support/identity-fakes.ts';
import { tablesHere } from '../../support/local-aws.ts';

const tables = tablesHere();
const ids = { random: (bytes: number) => randomBytes(bytes) };
const context: SealContext = { purpose: 'position', of: ['stories'] };

/** An environment without keys, of which each `process` is a process. */
const set = async () => {
  const { name, client } = tables.table('registry');
  await deleteItem({ name, client }, { Key: { pk: 'SEALS', sk: 'RING' } });
  const clock = frozenClock();
  const reads = { count: 0, failing: false, asked: [] as unknown[] };
  const counting = answering(DynamoDBClient, async command => {
    if (command instanceof GetItemCommand) reads.count += 1;
    reads.asked.push([command.constructor.name, command.input]);
    if (reads.failing) throw new Error('socket hang up');
    return client.send(command as never);
  });
  const table = { name, client: counting };
  return {
    clock,
    reads,
    ports: { clock, ids, sealRings: awsSealRings(table, ids) },
    process: () => awsSeals(table, { clock, ids }),
  };
};

const minute = limits.sealCacheSeconds * 1000;
const day = 86_400_000;

test('processes that start at the same time make one key, and remember it for a minute', async () => {
  const { process, clock, reads } = await set();
  const [one, other] = [process(), process()];
  const sealers = await Promise.all([one.sealer(), other.sealer()]);
  const [sealed] = sealers.map(sealer => sealer.seal(context, 'a'));
  expect(sealers.map(sealer => sealer.open(context, sealed ?? ''))).toEqual(['a', 'a']);
  expect(reads.count).toBe(2);
  clock.advance(minute - 1);
  await Promise.all([one.sealer(), one.sealer()]);
  expect(reads.count).toBe(2);
  clock.advance(1);
  await Promise.all([one.sealer(), one.sealer()]);
  expect(reads.count).toBe(3);
});

test('keys that could not be read are read again by the next request', async () => {
  const { process, reads } = await set();
  const seals = process();
  reads.failing = true;
  await expect(seals.sealer()).rejects.toThrow('socket hang up');
  reads.failing = false;
  expect((await seals.sealer()).seal(context, 'a')).toMatch(/^[\w-]{43}$/);
});

test('a rotation breaks nothing: everybody knows a key before it seals, and the one before still opens', async () => {
  const { process, clock, ports } = await set();
  const [stale, fresh] = [process(), process()];
  const before = (await stale.sealer()).seal(context, 'before');
  const ring = await rotateSeals(ports);
  if ('kind' in ring) throw new Error(ring.reason);
  // `stale` still has the old ring, `fresh` reads the new one.
  clock.advance(minute - 1);
  const [early, late] = [await stale.sealer(), await fresh.sealer()];
  expect(early.open(context, late.seal(context, 'during'))).toBe('during');
  clock.advance(ring.keys[0].sealsFrom - clock.now());
  const after = await Promise.all([stale, fresh].map(one => one.sealer()));
  const sealed = after.map(sealer => sealer.seal(context, 'after'));
  expect(sealed.map(text => text.slice(0, 4))).toEqual([ring.keys[0].id, ring.keys[0].id]);
  for (const sealer of after)
    expect([before, ...sealed].map(text => sealer.open(context, text))).toEqual([
      'before',
      'after',
      'after',
    ]);
});

test('a new key seals when every process has read it, and the clocks of all have passed that time', async () => {
  const { clock, ports } = await set();
  const [first] = (await ports.sealRings.find()).keys;
  expect(first.sealsFrom).toBe(0);
  expect(await rotateSeals(ports)).toMatchObject({
    version: 2,
    keys: [{ sealsFrom: clock.now() + 125_000 }, first],
  });
});

test('a key that has just been replaced can be rotated', async () => {
  const { clock, ports } = await set();
  expect(await replaceSeals(ports)).toMatchObject({ keys: [{ sealsFrom: clock.now() }] });
  expect(await rotateSeals(ports)).toMatchObject({ version: 3, keys: [{}, {}] });
});

test('a ring that is there is read, consistently, and not written', async () => {
  const { ports, reads } = await set();
  const made = await ports.sealRings.find();
  reads.asked.splice(0);
  expect(await ports.sealRings.find()).toEqual(made);
  const Key = { pk: { S: 'SEALS' }, sk: { S: 'RING' } };
  expect(reads.asked).toEqual([
    ['GetItemCommand', expect.objectContaining({ Key, ConsistentRead: true })],
  ]);
});

test.each<[string, unknown, string]>([
  ['no list', 'text', 'The stored list of sealing keys has no key.'],
  ['an empty list', [], 'The stored list of sealing keys has no key.'],
  ['a text', ['text'], 'The stored sealing keys hold something else than keys.'],
  ['nothing', [null], 'The stored sealing keys hold something else than keys.'],
  ['half a key', [{ id: 'key1' }], 'The stored item SEALS / RING has no binary "secret".'],
])('a stored ring that holds %s is named', async (_, seal_keys, words) => {
  const { ports } = await set();
  await putItem(tables.table('registry'), {
    Item: { pk: 'SEALS', sk: 'RING', version: 1, seal_keys } as never,
  });
  await expect(ports.sealRings.find()).rejects.toThrow(words);
});

test('a second rotation waits until nobody needs what the oldest key sealed, and drops that key', async () => {
  const { process, clock, ports } = await set();
  const oldest = (await process().sealer()).seal(context, 'oldest');
  await rotateSeals(ports);
  const [{ sealsFrom, id }] = (await ports.sealRings.find()).keys;
  clock.advance(sealsFrom + day + day / 2 - 1 - clock.now());
  expect(await rotateSeals(ports)).toMatchObject({
    kind: 'declined',
    reason: `What the key ${oldest.slice(0, 4)} sealed is valid until ${new Date(clock.now() + 1).toISOString()}: rotate after that, or with --now.`,
  });
  clock.advance(1);
  expect(await rotateSeals(ports)).toMatchObject({ keys: [{}, { id }] });
  expect((await process().sealer()).open(context, oldest)).toBeUndefined();
});

test('a key that is replaced at once opens nothing within a minute', async () => {
  const { process, clock, ports } = await set();
  const seals = process();
  const stolen = (await seals.sealer()).seal(context, 'stolen');
  expect(await replaceSeals(ports)).toMatchObject({ version: 2, keys: [{}] });
  clock.advance(minute);
  const sealer = await seals.sealer();
  expect(sealer.open(context, stolen)).toBeUndefined();
  expect(sealer.open(context, sealer.seal(context, 'new'))).toBe('new');
});

test('of two rotations at the same time, one is declined', async () => {
  const { ports } = await set();
  await ports.sealRings.find();
  const both = await Promise.all([rotateSeals(ports), rotateSeals(ports)]);
  expect(both.filter(one => 'kind' in one)).toEqual([
    { kind: 'declined', reason: expect.stringMatching(/at the same time/) },
  ]);
  expect(await ports.sealRings.find()).toMatchObject({ version: 2 });
});

import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import {
  DisableKeyCommand,
  GetPublicKeyCommand,
  KMSClient,
  SignCommand,
} from '@aws-sdk/client-kms';
import { calculateJwkThumbprint } from 'jose';
import {
  activateWaitingKey,
  publishNewKey,
  replaceLostKeys,
  retireIdleKey,
  retireStolenKey,
  storeFirstRing,
} from '../../../lib/bus/tokens/key-ring.ts';
import { awsKeyRings, awsSigner, isKeyUnder } from '../../../lib/bus/tokens/signer.kms.ts';
import type { SendCommand } from '../../../lib/platform/aws/clients.ts';
import { deleteItem } from '../../../lib/platform/aws/table.ts';
import { answering } from '../../support/fakes/aws-clients.ts';
import { frozenClock } from '../../support/identity-fakes.ts';
import { tablesHere } from '../../support/local-aws.ts';

/** A key service with keys `first`, `key-1`, `key-2`, … that counts what it is asked. */
const keyService = () => {
  const keys = new Map([['first', generateKeyPairSync('ec', { namedCurve: 'P-256' })]]);
  const asked: string[] = [];
  let made = 0;
  const pair = (id: string | undefined) => {
    const found = keys.get(id ?? '');
    if (!found)
      throw Object.assign(new Error(`There is no key ${id}.`), { name: 'NotFoundException' });
    return found;
  };
  const send = async (command: unknown) => {
    if (command instanceof GetPublicKeyCommand) {
      asked.push('public');
      const { KeyId } = command.input;
      return { KeyId, PublicKey: pair(KeyId).publicKey.export({ type: 'spki', format: 'der' }) };
    }
    if (command instanceof SignCommand) {
      const { KeyId, Message, MessageType, SigningAlgorithm } = command.input;
      asked.push(`${MessageType} ${SigningAlgorithm} ${KeyId}`);
      return { Signature: sign('sha256', Message ?? new Uint8Array(), pair(KeyId).privateKey) };
    }
    if (command instanceof DisableKeyCommand) {
      pair(command.input.KeyId);
      return void keys.delete(command.input.KeyId ?? '');
    }
    made += 1;
    const KeyId = `key-${made}`;
    keys.set(KeyId, generateKeyPairSync('ec', { namedCurve: 'P-256' }));
    return { KeyMetadata: { KeyId } };
  };
  return { client: answering(KMSClient, send), asked, keys };
};

const tables = tablesHere();

const set = async () => {
  const kms = keyService();
  const { name, client } = tables.table('registry');
  await deleteItem({ name, client }, { Key: { pk: 'KEYS', sk: 'RING' } });
  const reads = { count: 0 };
  const send: SendCommand = command => {
    if (command instanceof GetItemCommand) reads.count += 1;
    return client.send(command as never);
  };
  const table = { name, client: { send } as DynamoDBClient };
  const clock = frozenClock();
  const home = { kms: kms.client, table, firstKey: 'first' };
  const keyRings = awsKeyRings(home, {
    environment: 'sandbox',
    accountRoot: 'arn:aws:iam::000000000000:root',
    signers: 'arn:aws:iam::000000000000:role/sombus/sandbox/signer/*',
  });
  return { kms, reads, clock, signer: awsSigner(home, clock), ports: { clock, keyRings } };
};
const kids = (keys: readonly { kid: string }[]): string[] => keys.map(({ kid }) => kid);
const input = Buffer.from('header.claims');

describe('the signer', () => {
  test('names its key by the thumbprint of RFC 7638, and signs with it: r ‖ s over SHA-256', async () => {
    const { kms, signer } = await set();
    const [key] = await signer.keys();
    const publicKey = kms.keys.get('first')?.publicKey;
    if (!publicKey) throw new Error('no key');
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    expect(key.kid).toBe(await calculateJwkThumbprint({ kty: 'EC', crv: 'P-256', x, y }));
    const signature = await signer.sign(key.kid, input);
    expect(verify('sha256', input, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)).toBe(
      true,
    );
    expect(kms.asked).toContain('RAW ECDSA_SHA_256 first');
  });

  test('asks for a public key once, and for the ring every ten seconds; the set is the same array until it changes', async () => {
    const { kms, reads, clock, signer } = await set();
    const first = await signer.keys();
    clock.advance(9_999);
    await signer.keys();
    expect(reads.count).toBe(1);
    clock.advance(1);
    expect(await signer.keys()).toBe(first);
    expect(reads.count).toBe(2);
    expect(kms.asked).toEqual(['public']);
  });

  test('goes through a rotation: published, signing after ten minutes, the old one verifying for another hour', async () => {
    const { kms, clock, signer, ports } = await set();
    const [first] = await signer.keys();
    const added = await publishNewKey(ports);
    if (added.kind !== 'written') throw new Error(added.reason);
    const next = added.ring.keys[1]?.kid ?? '';
    clock.advance(10_000);
    expect(kids(await signer.keys())).toEqual([first.kid, next]);
    expect(await activateWaitingKey(ports, next)).toMatchObject({ kind: 'declined' });
    clock.advance(590_000);
    expect(await activateWaitingKey(ports, next)).toMatchObject({ kind: 'written' });
    clock.advance(10_000);
    expect(kids(await signer.keys())).toEqual([next, first.kid]);
    await signer.sign(next, input);
    await signer.sign(first.kid, input);
    expect(kms.asked.slice(-2)).toEqual(['RAW ECDSA_SHA_256 key-1', 'RAW ECDSA_SHA_256 first']);
    expect(await retireIdleKey(ports, first.kid)).toMatchObject({ kind: 'declined' });
    clock.advance(3_605_000);
    expect(await retireIdleKey(ports, first.kid)).toMatchObject({ kind: 'written' });
    clock.advance(10_000);
    expect(kids(await signer.keys())).toEqual([next]);
    expect([...kms.keys.keys()]).toEqual(['key-1']);
  });

  test('of two changes at the same time one is declined; while a key waits, none is made in vain', async () => {
    const { kms, ports } = await set();
    const results = await Promise.all([publishNewKey(ports), publishNewKey(ports)]);
    expect(results.map(({ kind }) => kind).sort()).toEqual(['declined', 'written']);
    kms.asked.length = 0;
    expect(await publishNewKey(ports)).toMatchObject({
      reason: expect.stringContaining('is waiting already'),
    });
    expect(kms.asked).toEqual([]);
  });

  test('signs with a new key after the only one was deleted', async () => {
    const { kms, signer, ports } = await set();
    kms.keys.clear();
    expect((await ports.keyRings.find()).keys).toEqual([]);
    await expect(signer.keys()).rejects.toThrow('no key first');
    expect(await storeFirstRing(ports)).toMatchObject({ kind: 'declined' });
    expect(await publishNewKey(ports)).toMatchObject({
      ring: { version: 1, keys: [{ state: 'active' }] },
    });
    const [key] = await signer.keys();
    await signer.sign(key.kid, input);
    expect(kms.asked.at(-1)).toBe('RAW ECDSA_SHA_256 key-1');
  });

  test('signs with a new key after the one of the ring was deleted', async () => {
    const { kms, clock, signer, ports } = await set();
    kms.keys.clear();
    await publishNewKey(ports);
    const [lost] = await signer.keys();
    kms.keys.clear();
    expect(await retireStolenKey(ports, lost.kid)).toMatchObject({ kind: 'written' });
    clock.advance(10_000);
    const [key] = await signer.keys();
    await signer.sign(key.kid, input);
    expect(kms.asked.at(-1)).toBe('RAW ECDSA_SHA_256 key-2');
  });

  test('publishes the first ring, which is stored once, although the key service is gone', async () => {
    const { kms, signer, ports } = await set();
    const written = await storeFirstRing(ports);
    expect(written).toMatchObject({
      kind: 'written',
      ring: { version: 1, keys: [{ state: 'active' }] },
    });
    kms.keys.clear();
    expect(await storeFirstRing(ports)).toEqual(written);
    expect(await signer.keys()).toHaveLength(1);
  });

  test('a stolen key is disabled; another is made only if none waits, and disabled if the ring is not written', async () => {
    const { kms, clock, ports } = await set();
    const retireActive = async (changed = ports) => {
      const { keys } = await ports.keyRings.find();
      return retireStolenKey(changed, keys.find(({ state }) => state === 'active')?.kid ?? '');
    };
    await retireActive();
    expect([...kms.keys.keys()]).toEqual(['key-1']);
    await publishNewKey(ports);
    clock.advance(600_000);
    await retireActive();
    expect([...kms.keys.keys()]).toEqual(['key-2']);
    const lost = { ...ports, keyRings: { ...ports.keyRings, replace: async () => false } };
    expect(await retireActive(lost)).toMatchObject({ kind: 'declined' });
    expect([...kms.keys.keys()]).toEqual(['key-2']);
  });

  test('a key that is not in the ring signs nothing', async () => {
    const { signer } = await set();
    await expect(signer.sign('unknown', input)).rejects.toThrow('left the ring');
  });
});

describe('in another region than its keys', () => {
  test('the deployment’s own key takes the place of keys that are elsewhere, once', async () => {
    const { kms, ports, signer } = await set();
    await storeFirstRing(ports);
    await publishNewKey(ports);
    const before = await ports.keyRings.find();
    expect(before.keys).toHaveLength(2);
    kms.keys.set('first', generateKeyPairSync('ec', { namedCurve: 'P-256' }));
    const replaced = await replaceLostKeys(ports, () => false);
    const after = await ports.keyRings.find();
    expect(replaced).toEqual({ kind: 'written', ring: after });
    expect(after.version).toBe(before.version + 1);
    expect(after.keys).toEqual([
      { ...(await ports.keyRings.first()), state: 'active', publishedAt: ports.clock.now() },
    ]);
    expect(kids(before.keys)).not.toContain(after.keys[0]?.kid);
    const [{ kid }] = await signer.keys();
    expect(kid).toBe(after.keys[0]?.kid);
    expect(await replaceLostKeys(ports, keyId => keyId === 'first')).toBe('unchanged');
  });

  test('nothing is replaced while one of them is here, or none was ever stored', async () => {
    const { ports } = await set();
    expect(await replaceLostKeys(ports, () => false)).toBe('unchanged');
    await storeFirstRing(ports);
    await publishNewKey(ports);
    const before = await ports.keyRings.find();
    expect(await replaceLostKeys(ports, keyId => keyId === 'key-1')).toBe('unchanged');
    expect(await ports.keyRings.find()).toEqual(before);
  });

  test('without a key of the deployment the ring stays as it is', async () => {
    const { kms, ports } = await set();
    await storeFirstRing(ports);
    const before = await ports.keyRings.find();
    kms.keys.delete('first');
    expect(await replaceLostKeys(ports, () => false)).toMatchObject({ kind: 'declined' });
    expect(await ports.keyRings.find()).toEqual(before);
  });

  test.each([
    ['arn:aws:kms:eu-west-1:111122223333:key/1', true],
    ['arn:aws:kms:eu-central-1:111122223333:key/1', false],
    ['arn:aws:kms:eu-west-1:444455556666:key/1', false],
  ])('%s is of the queues’ account and region: %s', (keyId, isHere) => {
    expect(isKeyUnder('arn:aws:sqs:eu-west-1:111122223333:')(keyId)).toBe(isHere);
  });
});

import { createPublicKey, verify } from 'node:crypto';
import { join } from 'node:path';
import { DisabledException, KMS } from '@aws-sdk/client-kms';
import type { CallContext, RunningEngine } from '../../../../lib/local/engines/aws-json/server.ts';
import { kmsOperations } from '../../../../lib/local/engines/kms/engine.ts';
import { openStore } from '../../../../lib/local/engines/store.ts';
import type { JsonObject } from '../../../../lib/platform/json/value.ts';
import { startKmsEngine } from '../../../support/engine-servers.ts';
import { FrozenClock } from '../support/frozen-clock.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const clock = new FrozenClock();
const SigningAlgorithm = 'ECDSA_SHA_256';
const message = Buffer.from('what is signed');
let engine: RunningEngine;
let kms: KMS;

async function start() {
  engine = await startKmsEngine({ path, clock });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  kms = new KMS({ endpoint: engine.endpoint, region: 'us-east-1', credentials });
}

async function stop() {
  kms.destroy();
  await engine.close();
}

beforeAll(start);
afterAll(stop);
// Removed after the engine has closed.
const path = join(scratchFolder(), 'keys.sqlite');

const newKey = async () => {
  const { KeyMetadata } = await kms.createKey({
    KeySpec: 'ECC_NIST_P256',
    KeyUsage: 'SIGN_VERIFY',
  });
  return KeyMetadata?.KeyId ?? '';
};

const publicKey = async (KeyId: string) => {
  const { PublicKey = new Uint8Array() } = await kms.getPublicKey({ KeyId });
  return createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
};

test('a signature over a message is one that OpenSSL verifies', async () => {
  const KeyId = await newKey();
  const { Signature } = await kms.sign({
    KeyId,
    Message: message,
    MessageType: 'RAW',
    SigningAlgorithm,
  });
  expect(verify('sha256', message, await publicKey(KeyId), Signature ?? new Uint8Array())).toBe(
    true,
  );
});

test('a key is found by id, ARN, alias name and alias ARN, and an alias is not taken twice', async () => {
  const [first, second] = [await newKey(), await newKey()];
  const alias = 'alias/token-signing';
  await kms.createAlias({ AliasName: alias, TargetKeyId: first });
  const described = async (KeyId: string) => (await kms.describeKey({ KeyId })).KeyMetadata?.KeyId;
  const arn = `arn:aws:kms:us-east-1:000000000000`;
  for (const name of [first, `${arn}:key/${first}`, alias, `${arn}:${alias}`])
    expect(await described(name)).toBe(first);
  await expect(kms.createAlias({ AliasName: alias, TargetKeyId: second })).rejects.toMatchObject({
    name: 'AlreadyExistsException',
  });
});

test('a key is described with its account and its ARN', async () => {
  const KeyId = await newKey();
  expect((await kms.describeKey({ KeyId })).KeyMetadata).toEqual({
    AWSAccountId: '000000000000',
    Arn: `arn:aws:kms:us-east-1:000000000000:key/${KeyId}`,
    CreationDate: new Date(clock.now()),
    CustomerMasterKeySpec: 'ECC_NIST_P256',
    Description: '',
    Enabled: true,
    KeyId,
    KeyManager: 'CUSTOMER',
    KeySpec: 'ECC_NIST_P256',
    KeyState: 'Enabled',
    KeyUsage: 'SIGN_VERIFY',
    MultiRegion: false,
    Origin: 'AWS_KMS',
    SigningAlgorithms: ['ECDSA_SHA_256'],
  });
});

test('a key keeps what it is for, may come with tags and a policy, and signs up to 4,096 bytes', async () => {
  const { KeyMetadata } = await kms.createKey({
    KeySpec: 'ECC_NIST_P256',
    KeyUsage: 'SIGN_VERIFY',
    Description: 'signs tokens',
    Tags: [{ TagKey: 'of', TagValue: 'the bus' }],
    Policy: '{}',
  });
  const { KeyId = '', Description } = KeyMetadata ?? {};
  expect(Description).toBe('signs tokens');
  const Message = Buffer.alloc(4096);
  const { Signature, ...signed } = await kms.sign({ KeyId, Message, SigningAlgorithm });
  const Arn = `arn:aws:kms:us-east-1:000000000000:key/${KeyId}`;
  expect(signed).toMatchObject({ KeyId: Arn, SigningAlgorithm });
  expect(verify('sha256', Message, await publicKey(KeyId), Signature ?? Buffer.of())).toBe(true);
  const { PublicKey: _, $metadata: __, ...described } = await kms.getPublicKey({ KeyId });
  expect(described).toEqual({
    CustomerMasterKeySpec: 'ECC_NIST_P256',
    KeyId: Arn,
    KeySpec: 'ECC_NIST_P256',
    KeyUsage: 'SIGN_VERIFY',
    SigningAlgorithms: [SigningAlgorithm],
  });
});

test('a disabled key does not sign', async () => {
  const KeyId = await newKey();
  const sign = () => kms.sign({ KeyId, Message: message, SigningAlgorithm });
  await kms.disableKey({ KeyId });
  await expect(sign()).rejects.toBeInstanceOf(DisabledException);
  expect((await kms.describeKey({ KeyId })).KeyMetadata).toMatchObject({
    KeyState: 'Disabled',
    Enabled: false,
  });
});

test('refusals have the error names of the SDK', async () => {
  const KeyId = await newKey();
  const refused = (response: Promise<unknown>, name: string) =>
    expect(response).rejects.toMatchObject({ name });
  const unknown = '00000000-0000-4000-8000-000000000000';
  await refused(kms.describeKey({ KeyId: unknown }), 'NotFoundException');
  await refused(kms.describeKey({ KeyId: 'alias/none' }), 'NotFoundException');
  await refused(kms.disableKey({ KeyId: 'alias/none' }), 'NotFoundException');
  const [KeySpec, KeyUsage] = ['ECC_NIST_P256', 'SIGN_VERIFY'] as const;
  await refused(kms.createKey({}), 'UnsupportedOperationException');
  await refused(kms.createKey({ KeySpec }), 'UnsupportedOperationException');
  await refused(kms.createKey({ KeyUsage }), 'UnsupportedOperationException');
  await refused(kms.getPublicKey({ KeyId, GrantTokens: ['a'] }), 'UnsupportedOperationException');
  await refused(
    kms.sign({ KeyId, Message: Buffer.alloc(4097), SigningAlgorithm }),
    'ValidationException',
  );
  await refused(
    kms.sign({ KeyId, Message: Buffer.alloc(0), SigningAlgorithm }),
    'ValidationException',
  );
  const hashed = {
    KeyId,
    Message: Buffer.alloc(32),
    MessageType: 'DIGEST',
    SigningAlgorithm,
  } as const;
  await refused(kms.sign(hashed), 'UnsupportedOperationException');
  await refused(
    kms.sign({ KeyId, Message: message, SigningAlgorithm: 'ECDSA_SHA_384' }),
    'UnsupportedOperationException',
  );
});

test('a request may have 64 KB', async () => {
  const statusOf = async (bytes: number) => {
    const headers = { 'x-amz-target': 'TrentService.DescribeKey' };
    const body = '{"KeyId":"none"}'.padEnd(bytes);
    const response = await fetch(engine.endpoint, { method: 'POST', headers, body });
    return [response.status, response.headers.get('content-type')];
  };
  const type = 'application/x-amz-json-1.1';
  expect([await statusOf(65_536), await statusOf(65_537)]).toEqual([
    [400, type],
    [413, type],
  ]);
});

test('the keys that were used last are read once', async () => {
  const store = openStore();
  const operations = kmsOperations(store, { clock });
  const asked = async (name: string, input: JsonObject) =>
    Object((await operations.get(name)?.(input, {} as CallContext)) ?? {});
  const keys: string[] = [];
  for (let n = 0; n < 21; n += 1) {
    const input = { KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' };
    keys.push((await asked('CreateKey', input)).KeyMetadata.KeyId);
  }
  const reading = jest.spyOn(store, 'sql');
  const readsFor = async (used: readonly string[]) => {
    reading.mockClear();
    for (const KeyId of used) await asked('Sign', { KeyId, Message: message, SigningAlgorithm });
    return reading.mock.calls.length;
  };
  const twenty = keys.slice(0, 20);
  expect([await readsFor(twenty), await readsFor(twenty)]).toEqual([20, 0]);
  // One more, and the first is read again.
  expect([await readsFor(keys.slice(20)), await readsFor(keys.slice(0, 1))]).toEqual([1, 1]);
});

test('keys and aliases survive a restart', async () => {
  const KeyId = await newKey();
  await kms.createAlias({ AliasName: 'alias/kept', TargetKeyId: KeyId });
  const before = await publicKey('alias/kept');
  await stop();
  await start();
  expect((await publicKey('alias/kept')).equals(before)).toBe(true);
});

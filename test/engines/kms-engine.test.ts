import { createHash, createPublicKey, verify } from 'node:crypto';
import { join } from 'node:path';
import { DisabledException, KMS } from '@aws-sdk/client-kms';
import type { RunningEngine } from '../../lib/engines/aws-json/server.ts';
import { startKmsEngine } from '../support/engine-servers.ts';
import { FrozenClock } from './support/frozen-clock.ts';
import { scratchFolder } from './support/scratch-folder.ts';

const clock = new FrozenClock();
const dayMilliseconds = 86_400_000;
const SigningAlgorithm = 'ECDSA_SHA_256';
const message = Buffer.from('what is signed');
const digest = createHash('sha256').update(message).digest();
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
  const { KeyMetadata } = await kms.createKey({ KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' });
  return KeyMetadata?.KeyId ?? '';
};

const publicKey = async (KeyId: string) => {
  const { PublicKey = new Uint8Array() } = await kms.getPublicKey({ KeyId });
  return createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
};

test.each([
  ['RAW', message],
  ['DIGEST', digest],
] as const)('a signature over a %s message is one that OpenSSL verifies', async (MessageType, Message) => {
  const KeyId = await newKey();
  const { Signature } = await kms.sign({ KeyId, Message, MessageType, SigningAlgorithm });
  expect(verify('sha256', message, await publicKey(KeyId), Signature ?? new Uint8Array())).toBe(true);
});

test('a dry run is refused when it would have succeeded', async () => {
  const KeyId = await newKey();
  const { Signature } = await kms.sign({ KeyId, Message: message, SigningAlgorithm });
  const asked = { KeyId, Message: message, SigningAlgorithm, DryRun: true } as const;
  await expect(kms.sign(asked)).rejects.toMatchObject({ name: 'DryRunOperationException' });
  await expect(kms.verify({ ...asked, Signature })).rejects.toMatchObject({
    name: 'DryRunOperationException',
  });
});

test('verify accepts a signature over the message or its digest, and refuses one over another message', async () => {
  const KeyId = await newKey();
  const { Signature } = await kms.sign({ KeyId, Message: message, SigningAlgorithm });
  const asked = { KeyId, Signature, SigningAlgorithm } as const;
  expect(await kms.verify({ ...asked, Message: message })).toMatchObject({
    SignatureValid: true,
  });
  expect(await kms.verify({ ...asked, Message: digest, MessageType: 'DIGEST' })).toMatchObject({
    SignatureValid: true,
  });
  await expect(kms.verify({ ...asked, Message: Buffer.from('else') })).rejects.toMatchObject({
    name: 'KMSInvalidSignatureException',
  });
});

test('a key is found by id, ARN, alias name and alias ARN, and an alias can be moved and deleted', async () => {
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
  await kms.updateAlias({ AliasName: alias, TargetKeyId: second });
  expect(await described(alias)).toBe(second);
  const { Aliases } = await kms.listAliases({ KeyId: second });
  expect(Aliases).toEqual([{ AliasName: alias, AliasArn: `${arn}:${alias}`, TargetKeyId: second }]);
  await kms.deleteAlias({ AliasName: alias });
  await expect(described(alias)).rejects.toMatchObject({ name: 'NotFoundException' });
});

test('a disabled key does not sign until it is enabled again', async () => {
  const KeyId = await newKey();
  const sign = () => kms.sign({ KeyId, Message: message, SigningAlgorithm });
  await kms.disableKey({ KeyId });
  await expect(sign()).rejects.toBeInstanceOf(DisabledException);
  await kms.enableKey({ KeyId });
  expect((await sign()).Signature).toBeDefined();
});

test('a key scheduled for deletion cannot be used, can be restored, and is gone after the window', async () => {
  const KeyId = await newKey();
  const schedule = () => kms.scheduleKeyDeletion({ KeyId, PendingWindowInDays: 7 });
  const sign = () => kms.sign({ KeyId, Message: message, SigningAlgorithm });
  const { DeletionDate } = await schedule();
  expect(DeletionDate?.getTime()).toBe(clock.now() + 7 * dayMilliseconds);
  const pending = (await kms.describeKey({ KeyId })).KeyMetadata;
  expect(pending).toMatchObject({ KeyState: 'PendingDeletion', Enabled: false, DeletionDate });
  await expect(sign()).rejects.toMatchObject({ name: 'KMSInvalidStateException' });
  await kms.cancelKeyDeletion({ KeyId });
  const restored = (await kms.describeKey({ KeyId })).KeyMetadata;
  expect([restored?.KeyState, restored?.DeletionDate]).toEqual(['Disabled', undefined]);
  await expect(sign()).rejects.toMatchObject({ name: 'DisabledException' });
  await schedule();
  clock.advance(7 * dayMilliseconds);
  await expect(sign()).rejects.toMatchObject({ name: 'NotFoundException' });
  const { Keys = [] } = await kms.listKeys({});
  expect(Keys.map(key => key.KeyId)).not.toContain(KeyId);
});

test('refusals have the error names of the SDK', async () => {
  const KeyId = await newKey();
  const refused = (answer: Promise<unknown>, name: string) => expect(answer).rejects.toMatchObject({ name });
  const unknown = '00000000-0000-4000-8000-000000000000';
  await refused(kms.describeKey({ KeyId: unknown }), 'NotFoundException');
  await refused(kms.describeKey({ KeyId: 'alias/none' }), 'NotFoundException');
  await refused(kms.disableKey({ KeyId: 'alias/none' }), 'NotFoundException');
  await refused(kms.createKey({}), 'UnsupportedOperationException');
  await refused(
    kms.createAlias({ AliasName: 'alias/aws/x', TargetKeyId: KeyId }),
    'InvalidAliasNameException',
  );
  await refused(kms.sign({ KeyId, Message: Buffer.alloc(4097), SigningAlgorithm }), 'ValidationException');
  const short = { KeyId, Message: Buffer.alloc(31), MessageType: 'DIGEST', SigningAlgorithm } as const;
  await refused(kms.sign(short), 'ValidationException');
  await refused(
    kms.sign({ KeyId, Message: message, SigningAlgorithm: 'ECDSA_SHA_384' }),
    'InvalidKeyUsageException',
  );
});

test('a parameter that the engine does not have is refused by name', async () => {
  const KeyId = await newKey();
  const granted = kms.sign({ KeyId, Message: message, SigningAlgorithm, GrantTokens: ['a'] });
  await expect(granted).rejects.toMatchObject({
    name: 'UnsupportedOperationException',
    message: 'The local KMS engine does not support the parameter GrantTokens of Sign.',
  });
});

test.each(['EXTERNAL_MU', 'raw', ''])('the message type "%s" is refused', async text => {
  const KeyId = await newKey();
  const MessageType = text as 'EXTERNAL_MU';
  const signing = kms.sign({ KeyId, Message: digest, MessageType, SigningAlgorithm });
  await expect(signing).rejects.toMatchObject({
    name: 'ValidationException',
    message: `MessageType must be RAW or DIGEST, not ${text}`,
  });
});

test('keys and aliases survive a restart', async () => {
  const KeyId = await newKey();
  await kms.createAlias({ AliasName: 'alias/kept', TargetKeyId: KeyId });
  const before = await publicKey('alias/kept');
  await stop();
  await start();
  expect((await publicKey('alias/kept')).equals(before)).toBe(true);
});

test('keys are listed in pages, oldest first', async () => {
  const { Keys: all = [] } = await kms.listKeys({});
  const first = await kms.listKeys({ Limit: 2 });
  const second = await kms.listKeys({ Limit: 1000, Marker: first.NextMarker });
  expect(first.Truncated).toBe(true);
  expect([...(first.Keys ?? []), ...(second.Keys ?? [])]).toEqual(all);
});

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { registerPrincipal } from '../access/trust/register-principal.ts';
import { timestamp } from '../contract/outside.ts';
import { isJsonObject, type JsonObject } from '../platform/json/value.ts';
import type { OperatorPorts } from '../wiring/operator.ts';
import { type DataFolder, dataFiles } from './data-folder.ts';
import { localAccount } from './engines/machine.ts';
import type { Seed } from './seed.ts';
import type { SigV4Key } from './sigv4.ts';
import { damagedFile, intactJson, jsonHint, StartRefusal, writeDurably } from './start-refusal.ts';

export interface AccessKey extends SigV4Key {
  readonly roleArn: string;
  readonly sessionToken: string;
}

const rolesFolder = 'roles';

const fileOf = (data: string, accessKeyId: string): string =>
  join(data, rolesFolder, `${accessKeyId}.json`);

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** @param kind AWS's prefix: `ASIA` for temporary credentials, `AKIA` for others */
const newKey = (kind: 'AKIA' | 'ASIA'): SigV4Key => ({
  accessKeyId: kind + Array.from(randomBytes(16), byte => alphabet.charAt(byte & 31)).join(''),
  secretAccessKey: randomBytes(30).toString('base64'),
});

/**
 * Creates a local role, with credentials to sign requests.
 *
 * @param path begins and ends with a slash, as IAM's paths do
 */
export const createLocalRole = (data: string, role: { name: string; path: string }): AccessKey => {
  const key: AccessKey = {
    roleArn: `arn:aws:iam::${localAccount.account}:role${role.path}${role.name}`,
    ...newKey('ASIA'),
    sessionToken: randomBytes(96).toString('base64'),
  };
  mkdirSync(join(data, rolesFolder), { recursive: true, mode: 0o700 });
  writeDurably(fileOf(data, key.accessKeyId), `${JSON.stringify(key)}\n`);
  return key;
};

/** An id with any other character cannot be read in a signed request. */
const isSigningKey = (value: unknown): value is SigV4Key & JsonObject =>
  isJsonObject(value) &&
  typeof value['accessKeyId'] === 'string' &&
  /^\w+$/.test(value['accessKeyId']) &&
  typeof value['secretAccessKey'] === 'string';

const isAccessKey = (value: unknown): value is AccessKey =>
  isSigningKey(value) &&
  typeof value['roleArn'] === 'string' &&
  typeof value['sessionToken'] === 'string';

const readKey = (path: string): AccessKey => {
  const value = intactJson(path);
  if (isAccessKey(value) && path.endsWith(`${value.accessKeyId}.json`)) return value;
  throw damagedFile(path);
};

/** Finds the keys of a data folder, including those created since the service started. */
export const localAccessKeys =
  (data: string) =>
  (accessKeyId: string): AccessKey | undefined => {
    const file = fileOf(data, accessKeyId);
    if (!/^[A-Z0-9]{16,128}$/.test(accessKeyId) || !existsSync(file)) return undefined;
    return readKey(file);
  };

/**
 * Checks that no access key of a data folder is damaged.
 *
 * @throws StartRefusal that names a damaged one
 */
export const checkAccessKeys = (data: string): void => {
  const folder = join(data, rolesFolder);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) if (name.endsWith('.json')) readKey(join(folder, name));
};

/** The ARN of a signer as AWS gives it: a session of the role, without the role's path. */
export const sessionArn = ({ roleArn }: AccessKey): string =>
  `arn:aws:sts::${localAccount.account}:assumed-role/${roleArn.split('/').at(-1)}/local`;

const file = 'demo-role.json';

/**
 * The role of the demo producer, registered and verified, with credentials for an AWS SDK. Created
 * once.
 */
export const demoRole = async (
  folder: DataFolder,
  ports: OperatorPorts,
  { seed, saved }: { seed: Seed; saved: () => Promise<void> },
): Promise<AccessKey> => {
  const { workspace, producer } = seed;
  const known = folder.read(file);
  if (isAccessKey(known)) return known;
  const key = createLocalRole(folder.path, { name: 'demo-producer', path: '/sombus/' });
  const wanted = { connection: producer.client_id, roleArn: key.roleArn };
  const registered = await registerPrincipal(ports, workspace, wanted);
  if (registered.kind === 'registered')
    await ports.principals.verify(registered.principal, timestamp(ports));
  // The file says that the role is registered: after a power cut, nobody would do it again.
  await saved();
  folder.write(file, key);
  return key;
};

/**
 * The key that the bus's own commands sign with at the engines, which admit it to everything. It is
 * made with the folder, or anew if it was lost, and is never printed.
 */
export const operatorKey = ({
  readHint,
  write,
}: Pick<DataFolder, 'readHint' | 'write'>): SigV4Key => {
  const known = readHint(dataFiles.operatorKey);
  if (isSigningKey(known)) return known;
  const key = newKey('AKIA');
  write(dataFiles.operatorKey, key);
  return key;
};

/**
 * The operator key of the service that runs on a data folder.
 *
 * @throws StartRefusal when it is not there, or not readable for this user
 */
export const operatorKeyIn = (data: string): SigV4Key => {
  const path = join(data, dataFiles.operatorKey);
  const key = jsonHint(path);
  if (isSigningKey(key)) return key;
  throw new StartRefusal(
    `The operator key ${path} cannot be read: run the command as the user who started the ` +
      'service, or start the service again.',
  );
};

export const accessKeyRecord = (key: AccessKey) => ({
  role_arn: key.roleArn,
  access_key_id: key.accessKeyId,
  secret_access_key: key.secretAccessKey,
  session_token: key.sessionToken,
});

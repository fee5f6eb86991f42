import { registerPrincipal } from '../app/registry/principals.ts';
import { type RegistryPorts, timestamp } from '../app/registry/registry-ports.ts';
import { type AccessKey, createLocalRole, isAccessKey } from './access-keys.ts';
import type { DataFolder } from './data-folder.ts';
import type { Seed } from './seed.ts';

const file = 'demo-role.json';

/** The role of the demo producer: registered and verified, with credentials that an AWS SDK can sign with. Made once. */
export const demoRole = async (
  folder: DataFolder,
  ports: RegistryPorts,
  { workspace, producer }: Seed,
): Promise<AccessKey> => {
  const known = folder.read(file);
  if (isAccessKey(known)) return known;
  const key = createLocalRole(folder.path, { name: 'demo-producer', path: '/sombus/' });
  const wanted = { connection: producer.client_id, roleArn: key.roleArn };
  const registered = await registerPrincipal(ports, workspace, wanted);
  if (registered.kind === 'registered') await ports.principals.verify(registered.principal, timestamp(ports));
  folder.write(file, key);
  return key;
};

/** Credentials as the ready line and commands print them. */
export const accessKeyRecord = (key: AccessKey) => ({
  role_arn: key.roleArn,
  access_key_id: key.accessKeyId,
  secret_access_key: key.secretAccessKey,
  session_token: key.sessionToken,
});

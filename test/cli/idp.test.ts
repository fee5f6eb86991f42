import { connectionOf } from '../corpus/connections.ts';
import { sombusOn } from '../support/commands.ts';
import { registryHere } from '../support/registry-here.ts';

const issuer = 'https://login.example';
const producer = connectionOf('caaaaaaaaaaaa', 'producer', 'waaaaaaaaaaaa');
const workspace = {
  kind: 'workspace',
  id: 'waaaaaaaaaaaa',
  organisation: 'o222222222222',
  name: 'desk',
  status: 'active',
  createdAt: '2026-05-04T09:00:00Z',
} as const;
const organisation = {
  kind: 'organisation',
  type: 'house',
  id: workspace.organisation,
  name: 'House',
  status: 'active',
  tier: 'standard',
  createdAt: workspace.createdAt,
} as const;
const here = registryHere();
beforeAll(async () => {
  for (const party of [organisation, workspace]) await here.ports().directory.add(party);
  await here.keep(producer);
});

/** The record that `sombus idp` prints with `--json`. */
const idp = async (...args: readonly string[]): Promise<unknown> => {
  const scope = ['--workspace', workspace.id, '--json', '--data', 'x'];
  const { stdout, stderr } = await sombusOn({ registry: here.ports }, 'idp', ...args, ...scope);
  return stdout === '' ? stderr : JSON.parse(stdout);
};

test('each command prints what it has done', async () => {
  const jwks_uri = 'https://login.example/keys';
  const added = { issuer, jwks_uri, audience: 'bus', client_claim: 'azp', clients: [] };
  expect(await idp('add', '--issuer', issuer, '--jwks-uri', jwks_uri, '--audience', 'bus')).toEqual({
    ...added,
    created_at: expect.stringMatching(/^\d{4}-/),
  });
  const client = ['--issuer', issuer, '--client', 'ncs'];
  expect(await idp('bind', ...client, '--connection', producer.id)).toEqual({
    issuer,
    client: 'ncs',
    connection_id: producer.id,
    created_at: expect.stringMatching(/^\d{4}-/),
  });
  expect(await idp('list')).toMatchObject([{ ...added, clients: [`ncs=${producer.id}`] }]);
  expect(await idp('unbind', ...client)).toEqual({ issuer, client: 'ncs', removed: true });
  expect(await idp('list')).toMatchObject([added]);
  expect(await idp('remove', '--issuer', issuer)).toEqual({ issuer, removed: true });
  expect(await idp('list')).toEqual([]);
});

test('what is not there cannot be removed', async () => {
  expect(await idp('remove', '--issuer', issuer)).toBe(
    `refused: The issuer ${issuer} is not registered in this scope.\n`,
  );
  expect(await idp('unbind', '--issuer', issuer, '--client', 'ncs')).toBe(
    `refused: The client ncs of ${issuer} is not bound in this scope.\n`,
  );
});

import { type SigningProxy, signingProxy } from '../fuzz/signing-proxy.ts';
import { call } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { type ServiceProcess, startService, temporaryFolder } from '../support/service-process.ts';

const folder = temporaryFolder();
let service: ServiceProcess;
let proxy: SigningProxy;

beforeAll(async () => {
  service = await startService(folder.path, '--no-limits');
  proxy = await signingProxy(new URL(service.ready.base_url).origin, service.ready.role);
});

afterAll(async () => {
  await proxy.close();
  await service.stop();
  folder.remove();
});

const validate = (headers: Record<string, string>) =>
  call(`${proxy.origin}/v1/tenants/${service.ready.workspace}/iam/validate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(linkCommitted()),
  });

test('a request to a signed route is signed on its way', async () => {
  const { status, body } = await validate({ authorization: 'Bearer of-the-tool' });
  expect([status, body['dry_run']]).toEqual([202, true]);
  expect(proxy.signatures()).toBe(1);
});

test('one without an Authorization is left without', async () => {
  expect((await validate({})).status).toBe(401);
});

test('other routes are passed on as they are', async () => {
  const { status, headers } = await call(`${proxy.origin}/v1/health`);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
});

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetchGuard } from '../../../lib/access/trust/guarded.fetch.ts';
import { guardedWebhooks } from '../../../lib/portal/alerts/webhook.fetch.ts';
import { newWebhookSecret, webhookSignature } from '../../../lib/portal/alerts/webhook.ts';

const servers: Server[] = [];
const serve = async (response: RequestListener): Promise<string> => {
  const server = createServer(response);
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
};
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const local = guardedWebhooks(fetchGuard(true));
const deployed = guardedWebhooks(fetchGuard(false));
const request = (url: string) => ({
  url,
  headers: { 'webhook-id': 'msg_1' },
  body: '{"type":"alert.test"}',
});

test('a signature is that of the example of Standard Webhooks', () => {
  const signed = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: '1614265330',
    body: '{"test": 2432232314}',
  };
  expect(webhookSignature('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', signed)).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test('a secret is 256 random bits behind whsec_', () => {
  const secret = newWebhookSecret({ random: bytes => new Uint8Array(bytes).fill(7) });
  expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toEqual(Buffer.alloc(32, 7));
});

test('a webhook gets a POST, and what it says is not looked at', async () => {
  const got: unknown[] = [];
  const url = await serve((incoming, response) => {
    const { method, headers } = incoming;
    incoming.on('data', body => got.push([method, headers['webhook-id'], String(body)]));
    response.end('as much as it likes');
  });
  expect(await local.post(request(url))).toEqual({});
  expect(got).toEqual([['POST', 'msg_1', '{"type":"alert.test"}']]);
});

test.each([300, 301, 307, 404, 500])(
  'a status of %i is a problem, and no redirect is followed',
  async status => {
    let followed = false;
    const target = await serve((_, response) => {
      followed = true;
      response.end();
    });
    const url = await serve((_, response) =>
      response.writeHead(status, { location: target }).end('secret'),
    );
    expect(await local.post(request(url))).toEqual({
      problem: `it responded with status ${status}`,
    });
    expect(followed).toBe(false);
  },
);

test('a host that is not there is a problem', async () => {
  const url = await serve(() => undefined);
  const [server] = servers.splice(0);
  await new Promise(resolve => server?.close(resolve));
  expect(await local.post(request(url))).toEqual({
    problem: 'it cannot be reached (ECONNREFUSED)',
  });
});

test.each([
  'http://8.8.8.8/hook',
  'https://127.0.0.1/hook',
  'https://169.254.169.254/latest',
  'https://[::1]/',
])('a deployed bus does not send to %s', async url => {
  expect(await deployed.post(request(url))).toEqual({
    problem: expect.stringMatching(/not https|not public/),
  });
});

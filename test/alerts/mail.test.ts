import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sesMails } from '../../lib/alerts/mail.ses.ts';

let server: Server;
const got: { readonly url: string | undefined; readonly body: unknown }[] = [];
let status: number;
let env: Record<string, string>;

beforeEach(async () => {
  got.length = 0;
  status = 200;
  server = createServer((incoming, response) => {
    let text = '';
    incoming.on('data', chunk => {
      text += chunk;
    });
    incoming.on('end', () => {
      got.push({ url: incoming.url, body: JSON.parse(text) });
      const error = { 'x-amzn-errortype': 'MessageRejected' };
      const body = { MessageId: 'm', message: 'jo@vendor.example is not verified' };
      response.writeHead(status, status === 200 ? {} : error).end(JSON.stringify(body));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  env = { AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL_SESV2: `http://127.0.0.1:${port}` };
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const mail = { to: 'jo@vendor.example', subject: '[som-bus] Test', text: 'Test.' };

test('an e-mail goes to Amazon SES, from the address of the deployment', async () => {
  const mails = sesMails(env, 'portal@news.example');
  expect(mails.isOn).toBe(true);
  expect(await mails.send(mail)).toEqual({});
  expect(got).toEqual([
    {
      url: '/v2/email/outbound-emails',
      body: {
        FromEmailAddress: 'portal@news.example',
        Destination: { ToAddresses: ['jo@vendor.example'] },
        Content: { Simple: { Subject: { Data: '[som-bus] Test' }, Body: { Text: { Data: 'Test.' } } } },
      },
    },
  ]);
});

test('what Amazon SES refuses is a problem, by name and without the address', async () => {
  status = 400;
  expect(await sesMails(env, 'portal@news.example').send(mail)).toEqual({
    problem: 'Amazon SES did not take it (MessageRejected)',
  });
});

test('a deployment without an address to send from sends nothing', async () => {
  const mails = sesMails(env, '');
  expect(mails.isOn).toBe(false);
  expect(await mails.send(mail)).toEqual({ problem: 'this bus sends no e-mail' });
  expect(got).toEqual([]);
});

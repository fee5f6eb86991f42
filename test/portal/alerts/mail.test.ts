import { sesMails } from '../../../lib/portal/alerts/mail.ses.ts';
import { json, type Reply, scriptedServer } from '../../support/scripted-server.ts';

const mail = { to: 'jo@vendor.example', subject: '[som-bus] Test', text: 'Test.' };

/** Sends an e-mail to an SES that replies as given. */
const sent = async (from: string, reply: Reply) => {
  const address = '/v2/email/outbound-emails';
  const ses = await scriptedServer({ [address]: [reply] });
  const AWS_ENDPOINT_URL_SESV2 = new URL(ses.baseUrl).origin;
  const mails = sesMails({ AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL_SESV2 }, from);
  const result = await mails.send(mail);
  await ses.close();
  return {
    isOn: mails.isOn,
    result,
    got: ses.calls.map(({ line, body }) => [line, JSON.parse(body)]),
  };
};

test('an e-mail goes to Amazon SES, from the address of the deployment', async () => {
  const { isOn, result, got } = await sent('portal@news.example', json(200, { MessageId: 'm' }));
  expect([isOn, result]).toEqual([true, {}]);
  expect(got).toEqual([
    [
      '/v2/email/outbound-emails',
      {
        FromEmailAddress: 'portal@news.example',
        Destination: { ToAddresses: ['jo@vendor.example'] },
        Content: {
          Simple: { Subject: { Data: '[som-bus] Test' }, Body: { Text: { Data: 'Test.' } } },
        },
      },
    ],
  ]);
});

test('what Amazon SES refuses is a problem, by name and without the address', async () => {
  const text = { message: 'jo@vendor.example is not verified' };
  const refused = json(400, text, { 'x-amzn-errortype': 'MessageRejected' });
  expect((await sent('portal@news.example', refused)).result).toEqual({
    problem: 'Amazon SES did not take it (MessageRejected)',
  });
});

test('a deployment without an address to send from sends nothing', async () => {
  expect(await sent('', json(200, {}))).toEqual({
    isOn: false,
    result: { problem: 'this bus sends no e-mail' },
    got: [],
  });
});

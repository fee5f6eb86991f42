import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { alertLimits } from '../../contract/portal/alerts.ts';
import { clientConfigWithin } from '../../platform/aws/clients.ts';
import type { Mails } from './mail.ts';

const off: Mails = { isOn: false, send: async () => ({ problem: 'this bus sends no e-mail' }) };

/**
 * Sends through Amazon SES (AWS: "SendEmail", API v2). What SES says is shown by name only: its
 * messages quote addresses.
 *
 * @param from absent: nothing is sent
 */
export const sesMails = (
  env: Parameters<typeof clientConfigWithin>[0],
  from: string | undefined,
): Mails => {
  if (!from) return off;
  const client = new SESv2Client(clientConfigWithin(env, 'SESV2', alertLimits.postMilliseconds));
  return {
    isOn: true,
    async send({ to, subject, text }) {
      const Simple = { Subject: { Data: subject }, Body: { Text: { Data: text } } };
      const wanted = {
        FromEmailAddress: from,
        Destination: { ToAddresses: [to] },
        Content: { Simple },
      };
      try {
        await client.send(new SendEmailCommand(wanted));
        return {};
      } catch (error) {
        return {
          problem: `Amazon SES did not take it (${error instanceof Error ? error.name : 'no name'})`,
        };
      }
    },
  };
};

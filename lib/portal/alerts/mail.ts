import { type AlertEvent, alertInWords } from '../../contract/portal/alerts.ts';
import type { Alert, AlertDelivery, Mailbox } from './alerts.ts';
import { type Webhooks, webhookRequest } from './webhook.ts';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends e-mails; never throws for what a mail service does. */
export interface Mails {
  /** False if the deployment has no address to send from. */
  readonly isOn: boolean;
  /** `problem`, a clause, is absent if the mail service took it. */
  send(mail: Mail): Promise<{ readonly problem?: string }>;
}

const prefixes: Partial<Record<AlertEvent['type'], string>> = {
  'alert.ended': 'Over: ',
  'alert.test': 'Test: ',
};

const linesOf = ({
  connections = [],
  run_id: run,
  status,
}: AlertEvent['data']): readonly string[] => [
  ...connections.map(one => `- ${one.app_name} (${one.connection_id})`),
  ...(run === undefined ? [] : [`- ${run}: ${status}`]),
];

/** An event in words. */
const alertMail = (alert: Alert, { email, page }: Mailbox, event: AlertEvent): Mail => {
  const title = (prefixes[event.type] ?? '') + alertInWords(alert);
  const about = linesOf(event.data);
  return {
    to: email,
    subject: `[som-bus] ${title}`,
    text: [
      `${title}.`,
      ...(about.length > 0 ? ['', ...about] : []),
      '',
      `Workspace ${alert.workspace}, ${event.timestamp}.`,
      `You get this e-mail because you asked for it. Change or delete the alert here: ${page}`,
      '',
    ].join('\n'),
  };
};

export interface TellPorts {
  readonly webhooks: Webhooks;
  readonly mails: Mails;
}

/** Makes one attempt to tell an event, by whatever its alert has chosen. */
export const tell = (
  { webhooks, mails }: TellPorts,
  {
    alert,
    delivery,
    now,
  }: { alert: Alert; delivery: Pick<AlertDelivery, 'id' | 'event'>; now: number },
): Promise<{ readonly problem?: string }> =>
  'email' in alert.to
    ? mails.send(alertMail(alert, alert.to, delivery.event))
    : webhooks.post(webhookRequest(alert.to, delivery, now));

import { createHmac } from 'node:crypto';
import type { Ids } from '../../contract/outside.ts';
import type { AlertEvent } from '../../contract/portal/alerts.ts';

/*
 * Webhooks as Standard Webhooks 1.0 has them: what is signed is the id, the time and the body of a
 * message, so that a receiver can refuse what is old, and what it has got before.
 */

const prefix = 'whsec_';
const secretBytes = 32;

export const newWebhookSecret = (ids: Ids): string =>
  prefix + Buffer.from(ids.random(secretBytes)).toString('base64');

/** A request to a webhook. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends to webhooks; never throws for what a host or a network does. */
export interface Webhooks {
  /** `problem`, a clause, is absent if the host took it. */
  post(request: WebhookRequest): Promise<{ readonly problem?: string }>;
}

/** The header `webhook-signature`: over id, time and body, with the bytes of the secret. */
export const webhookSignature = (
  secret: string,
  { id, timestamp, body }: { id: string; timestamp: string; body: string },
): string => {
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
};

/** A signed request. @param now epoch milliseconds: of this attempt */
export const webhookRequest = (
  { url, secret }: { url: string; secret: string },
  { id, event }: { id: string; event: AlertEvent },
  now: number,
): WebhookRequest => {
  const body = JSON.stringify(event);
  const timestamp = `${Math.floor(now / 1000)}`;
  return {
    url,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'som-bus',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': webhookSignature(secret, { id, timestamp, body }),
    },
    body,
  };
};

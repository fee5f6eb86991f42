import type { RuleId } from '../../lib/contract/rules.ts';

/** What calls a rule of the gateway up, and what does not; tests of the routes show both. */
export interface GatewayExample {
  readonly rule: RuleId;
  readonly refused: string;
  readonly accepted: string;
}

export const gatewayExamples: readonly GatewayExample[] = [
  {
    rule: 'producer.unauthenticated',
    refused: 'a publish without an Authorization header',
    accepted: 'the same with a token of this environment that has not run out',
  },
  {
    rule: 'producer.not_registered',
    refused: "a consumer's token on a publish route",
    accepted: "an active producer's token there",
  },
  {
    rule: 'tenant.mismatch',
    refused: "another workspace's id in the address",
    accepted: "the id that the token's tenant claim names",
  },
  {
    rule: 'request.blocked',
    refused: 'a request that the firewall takes for an attack by its headers or query',
    accepted: 'news text about `<script>` in a message: the firewall does not judge content',
  },
  {
    rule: 'commit.contention',
    refused: 'five other writers of the same story, each faster',
    accepted: 'a new snapshot made from the latest one',
  },
  {
    rule: 'message.unsupported_media_type',
    refused: 'Content-Type: text/plain',
    accepted: 'Content-Type: application/json; charset=utf-8',
  },
  {
    rule: 'rate.limited',
    refused: "more requests in a second than the connection's burst",
    accepted: 'the same bytes after the seconds of Retry-After',
  },
  {
    rule: 'quota.exceeded',
    refused: "one request more than the tier's requests a day",
    accepted: 'the same bytes after midnight UTC',
  },
  {
    rule: 'bus.publish_failed',
    refused:
      'a queue that did not take the message after it was committed, or a function that did not answer',
    accepted: 'the same bytes again: the bus sends what is left and answers duplicate',
  },
  {
    rule: 'registry.unavailable',
    refused: 'a registry or ledger that cannot be read',
    accepted: 'the same bytes again, later',
  },
  { rule: 'pull.invalid_parameter', refused: '?max=11', accepted: '?max=10&wait=20&visibility=60' },
  {
    rule: 'pull.invalid_body',
    refused: '{"receipt_handles":[]}',
    accepted: '{"receipt_handles":["…"]} with a handle of a received message',
  },
  { rule: 'receipt.expired', refused: 'an ack after the visibility time', accepted: 'an ack within it' },
  {
    rule: 'order.blocked',
    refused: 'an ack of a message whose predecessor of the same correlation_id was just released',
    accepted: 'an ack of it when it comes again, after its predecessor',
  },
  { rule: 'route.not_found', refused: 'GET /v1/nothing', accepted: 'GET /v1/health' },
  { rule: 'route.method_not_allowed', refused: 'DELETE /v1/health', accepted: 'GET /v1/health' },
  {
    rule: 'principal.challenge_invalid',
    refused: 'a challenge that was used before',
    accepted: 'a new challenge, within 15 minutes, signed for by the role it was made for',
  },
];

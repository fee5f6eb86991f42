import type { RuleId } from '../../lib/contract/rules.ts';

/** A request that a rule of the gateway refuses, and one that it accepts; tests of the routes show both. */
interface GatewayExample {
  readonly rule: RuleId;
  readonly refused: string;
  readonly accepted: string;
}

export const gatewayExamples: readonly GatewayExample[] = [
  {
    rule: 'producer.unauthenticated',
    refused: 'a publish without an Authorization header',
    accepted: 'the same publish with a valid token of this environment',
  },
  {
    rule: 'producer.not_registered',
    refused: "a consumer's token on a publish route",
    accepted: "an active producer's token on the same route",
  },
  {
    rule: 'tenant.mismatch',
    refused: "another workspace's id in the address",
    accepted: "the workspace id in the token's `tenant` claim",
  },
  {
    rule: 'request.blocked',
    refused: 'a request whose headers or query look like an attack to the firewall',
    accepted: 'news text about `<script>` in a message: the firewall does not judge message content',
  },
  {
    rule: 'commit.contention',
    refused: 'a snapshot of a story that other writers update first, five times in a row',
    accepted: 'a new snapshot built from the latest one',
  },
  {
    rule: 'message.unsupported_media_type',
    refused: 'Content-Type: text/plain',
    accepted: 'Content-Type: application/json; charset=utf-8',
  },
  {
    rule: 'rate.limited',
    refused: "more requests in a second than the connection's burst allows",
    accepted: 'the same bytes after the number of seconds in `Retry-After`',
  },
  {
    rule: 'quota.exceeded',
    refused: 'one request more than the daily quota of the tier',
    accepted: 'the same bytes after midnight UTC',
  },
  {
    rule: 'bus.publish_failed',
    refused: 'a queue that does not take the message after the commit, or a function that does not answer',
    accepted: 'the same bytes again: the bus sends what is left and answers with `duplicate`',
  },
  {
    rule: 'registry.unavailable',
    refused: 'a request while the registry or the ledger cannot be read',
    accepted: 'the same bytes again, later',
  },
  { rule: 'pull.invalid_parameter', refused: '?max=11', accepted: '?max=10&wait=20&visibility=60' },
  {
    rule: 'pull.invalid_body',
    refused: '{"receipt_handles":[]}',
    accepted: '{"receipt_handles":["…"]} with the handle of a received message',
  },
  {
    rule: 'receipt.expired',
    refused: 'an ack after the visibility timeout',
    accepted: 'an ack before it ends',
  },
  {
    rule: 'order.blocked',
    refused: 'an ack of a message after an earlier message of its correlation_id was returned to the queue',
    accepted: 'an ack of the same message when it is delivered again, after the earlier one',
  },
  {
    rule: 'message_id.unknown',
    refused: 'GET /v1/tenants/{t}/messages/{message_id} for a message that another connection exchanged',
    accepted: 'the same for a message that this connection published or receives',
  },
  {
    rule: 'check.invalid',
    refused: '{"kind":"executer"} to POST /v1/tenants/{t}/checks',
    accepted: '{"kind":"consumer"} with the token of a consumer',
  },
  {
    rule: 'check.declined',
    refused: 'the start of a second run while the first one goes on',
    accepted: 'the same when the first one is over',
  },
  {
    rule: 'limit.reached',
    refused: 'the start of a third test run of one organisation',
    accepted: 'the same when one of the two is over',
  },
  {
    rule: 'correlation_id.reserved',
    refused: 'a message with the correlation_id 736f6d63-686b-8000-8000-000000000000',
    accepted: 'the same with a random correlation_id',
  },
  {
    rule: 'check.unknown',
    refused: 'GET /v1/tenants/{t}/checks/{r} for a run of another connection',
    accepted: 'the same with the token of a connection that the run is about',
  },
  { rule: 'route.not_found', refused: 'GET /v1/nothing', accepted: 'GET /v1/health' },
  { rule: 'route.method_not_allowed', refused: 'DELETE /v1/health', accepted: 'GET /v1/health' },
  {
    rule: 'principal.challenge_invalid',
    refused: 'a challenge that was already used',
    accepted: 'a new challenge, sent within 15 minutes and signed by the role it was made for',
  },
];

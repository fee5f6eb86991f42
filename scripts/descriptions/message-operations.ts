import type { IntegerRange } from '../../lib/bus/consuming/pull.http.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { RouteId } from '../../lib/contract/routes.ts';
import { rules } from '../../lib/contract/rules.ts';
import { ref, type Schema } from './components.ts';
import { messageExamples } from './examples.ts';
import { body, json, type Operation, valued } from './operation.ts';
import * as schemas from './response-schemas.ts';
import { refusals, schemaRules, success } from './responses.ts';

const messageBody = body({
  [json]: {
    schema: ref('Message'),
    examples: valued(messageExamples),
  },
});

/** What a response with 202 tells beside "accepted". */
const toldRules = [
  'payload.unvalidated',
  'content_refs.source_unresolved',
  'editorial_source.received_after_update',
  'sequence_number.gap',
  'assertion.review_reopened',
] as const;

const verdictExample = {
  accepted: true,
  message_id: '5d0c1f6e-4f0e-4d8a-9d0a-000000000001',
  message_type: 'story.context',
  family: 'story-context',
};

const ofDryRun = 'Gives the same verdict as a publish, but records and sends nothing.';

const ofPublish =
  'Build it once, and send the same bytes again until you get a response that needs no retry. ' +
  'A `traceparent` header (W3C Trace Context, version 00) is logged and becomes an attribute of ' +
  'the message in SQS, never part of the message.';

export const publishing = (route: RouteId, dryRun: boolean): Operation => ({
  description:
    `One SOM message, at most ${limits.messageBytes} bytes of UTF-8 JSON. ` +
    (dryRun ? ofDryRun : ofPublish),
  requestBody: messageBody,
  responses: {
    200: success(route, 'A message with this id and the same content was accepted before.', {
      schema: ref('Publication'),
      examples: {
        duplicate: { accepted: true, duplicate: true, message_id: verdictExample.message_id },
      },
    }),
    202: success(
      route,
      dryRun
        ? 'A publish would be accepted.'
        : 'Committed, and in the queue of every subscribed consumer.',
      {
        schema: ref('Publication'),
        rules: [...toldRules, schemaRules],
        examples: { accepted: { ...verdictExample, ...(dryRun && { dry_run: true }) } },
      },
    ),
    ...refusals(route),
  },
});

export const range = (
  name: string,
  { min, max, default: fallback }: IntegerRange,
  what: string,
): Schema => ({
  name,
  in: 'query',
  description: what,
  schema: { type: 'integer', minimum: min, maximum: max, default: fallback },
});

const handles: Schema = {
  type: 'array',
  minItems: limits.receiptHandles.min,
  maxItems: limits.receiptHandles.max,
  items: { type: 'string', minLength: 1, maxLength: limits.receiptHandleCharacters },
};

/** What is sent to the routes of messages, by component. */
export const messageSchemas: Readonly<Record<string, Schema>> = {
  AckRequest: schemas.closed({ receipt_handles: handles }),
  NackRequest: schemas.closed({
    receipt_handles: handles,
    'delay_seconds?': {
      type: 'integer',
      minimum: limits.nackDelaySeconds.min,
      maximum: limits.nackDelaySeconds.max,
      default: limits.nackDelaySeconds.default,
    },
  }),
};

export const settling = (route: 'ack' | 'nack'): Operation => ({
  description:
    route === 'ack'
      ? 'Removes messages from the queue. A bad handle does not affect the others. An ack can be repeated.'
      : 'Returns messages to the queue. Later messages of the same correlation_id from the same ' +
        'pull are returned too. A handle in `failed` has changed nothing.',
  requestBody: body({
    [json]: {
      schema: ref(route === 'ack' ? 'AckRequest' : 'NackRequest'),
      examples: valued({ one: { receipt_handles: ['AQEB-an-example-of-a-handle'] } }),
    },
  }),
  responses: {
    200: success(route, 'The result for each handle.', {
      schema: ref('Receipts'),
      examples: {
        expired: {
          ok: [],
          failed: [
            {
              receipt_handle: 'AQEB-an-example-of-a-handle',
              rule: 'receipt.expired',
              message: rules['receipt.expired'].meaning,
            },
          ],
        },
      },
    }),
    ...refusals(route),
  },
});

import type { IntegerRange } from '../../lib/consuming/pull.http.ts';
import { limits } from '../../lib/contract/limits.ts';
import * as schemas from './answer-schemas.ts';
import { refusals, success } from './answers.ts';
import { body, json, type Operation, valued } from './operation.ts';
import type { Schema } from './som-schemas.ts';

export const range = (name: string, { min, max, default: fallback }: IntegerRange, what: string): Schema => ({
  name,
  in: 'query',
  description: what,
  schema: { type: 'integer', minimum: min, maximum: max, default: fallback },
});

export const handles: Schema = {
  type: 'array',
  minItems: limits.receiptHandles.min,
  maxItems: limits.receiptHandles.max,
  items: { type: 'string', minLength: 1, maxLength: limits.receiptHandleCharacters },
};

export const settling = (route: 'ack' | 'nack', members: Readonly<Record<string, Schema>>): Operation => ({
  description:
    route === 'ack'
      ? 'Removes messages from the queue. A bad handle does not affect the others.'
      : 'Returns messages to the queue. Later messages of the same correlation_id from the same pull are returned too.',
  requestBody: body({
    [json]: {
      schema: schemas.closed(members),
      examples: valued({ one: { receipt_handles: ['AQEB-an-example-of-a-handle'] } }),
    },
  }),
  responses: {
    200: success(route, 'The result for each handle.', {
      schema: schemas.receipts,
      examples: {
        expired: {
          ok: [],
          failed: [
            {
              receipt_handle: 'AQEB-an-example-of-a-handle',
              rule: 'receipt.expired',
              message: 'The receipt handle was already used.',
            },
          ],
        },
      },
    }),
    ...refusals(route),
  },
});

import { unknownWords } from '../../lib/bus/replay/skip-next.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { DescribedRouteId, RouteId } from '../../lib/contract/routes.ts';
import { checkOperations, checkSchemas } from './check-operations.ts';
import { generable, ref, type Schema } from './components.ts';
import {
  healthExample,
  keySetExample,
  lifeExamples,
  messageExamples,
  oauthMetadataExample,
  openApiExample,
  pulledExample,
} from './examples.ts';
import { messageSchemas, publishing, range, settling } from './message-operations.ts';
import { body, json, type Operation, pageAfter, valued } from './operation.ts';
import * as schemas from './response-schemas.ts';
import { corsHeaders, portalRefusals, refusals, response, success } from './responses.ts';
import { registrationExample } from './skill-examples.ts';
import { ifNoneMatch, skillLibrary, skillSchemas, skillValidate } from './skill-operations.ts';
import { token, tokenForm } from './token-operation.ts';

const open = (route: RouteId, description: string, ok: Schema): Operation => ({
  description,
  responses: { 200: ok, ...refusals(route) },
});

/** What requests have in their bodies, by component. */
export const requestSchemas: Readonly<Record<string, Schema>> = {
  ...messageSchemas,
  TokenRequest: generable(tokenForm),
  ChallengeRequest: schemas.closed({
    connection_id: schemas.text('The producer connection the role is registered on.'),
    challenge: schemas.text('The one-time challenge, `sbc_…`.'),
  }),
  ...skillSchemas,
  ...checkSchemas,
};

const pageHeaders = [
  'cache-control',
  'content-security-policy',
  'etag',
  'vary',
  'x-content-type-options',
  'referrer-policy',
];

/** Every operation of the route table. */
export const operations: Readonly<Record<DescribedRouteId, Operation>> = {
  health: open(
    'health',
    'Answers while the bus is up, with the message types it has schemas for.',
    response('The bus is up.', { schema: ref('Health'), examples: { now: healthExample } }),
  ),
  token,
  jwks: open(
    'jwks',
    'A JWK Set (RFC 7517). During a key rotation it also contains the next and the previous key.',
    response('The keys.', {
      schema: ref('KeySet'),
      headers: ['cache-control'],
      examples: { one: keySetExample },
    }),
  ),
  'oauth-metadata': open(
    'oauth-metadata',
    'Authorization server metadata (RFC 8414).',
    response('The metadata.', {
      schema: ref('AuthorizationServer'),
      headers: ['cache-control'],
      examples: { local: oauthMetadataExample },
    }),
  ),
  openapi: open(
    'openapi',
    'This description.',
    response('OpenAPI 3.1.', {
      schema: {
        type: 'object',
        required: ['openapi', 'info', 'paths'],
        properties: {
          openapi: schemas.text(),
          info: { type: 'object' },
          paths: { type: 'object' },
        },
      },
      headers: [...corsHeaders, 'cache-control'],
      examples: { beginning: openApiExample },
    }),
  ),
  publish: publishing('publish', false),
  validate: publishing('validate', true),
  'iam-publish': publishing('iam-publish', false),
  'iam-validate': publishing('iam-validate', true),
  'jwt-publish': publishing('jwt-publish', false),
  'operator-publish': publishing('operator-publish', false),
  'verify-principal': {
    description:
      'Signed by the registered role, with the challenge that was shown at registration. From ' +
      'then on, a role of a consumer can read the queue. After a 503, send the same challenge ' +
      'again.',
    requestBody: body({
      [json]: {
        schema: ref('ChallengeRequest'),
        examples: valued({
          challenge: { connection_id: 'caaaaaaaaaaaa', challenge: 'sbc_from-the-operator' },
        }),
      },
    }),
    responses: {
      200: response('The role is proven.', { schema: ref('VerifiedPrincipal') }),
      ...refusals('verify-principal'),
    },
  },
  pull: {
    description:
      'Pulls the next messages of the queue. A message that is not acknowledged within ' +
      '`visibility` seconds is delivered again.',
    parameters: [
      range(
        'max',
        limits.pullMessages,
        'Maximum number of messages. One request counts once, however many it brings.',
      ),
      range('wait', limits.pullWaitSeconds, 'Seconds to wait for the first message (long poll).'),
      range(
        'collect',
        limits.pullCollectSeconds,
        'Seconds to go on after the first message, until there are `max`; with `wait`, 20 at ' +
          'most. They are part of the `visibility` of what came first.',
      ),
      range(
        'visibility',
        limits.pullVisibilitySeconds,
        'Seconds until an unacknowledged message is delivered again.',
      ),
    ],
    responses: {
      200: success('pull', 'The messages; the list may be empty.', {
        schema: ref('PulledMessages'),
        headers: ['cache-control'],
        examples: {
          one: { messages: [pulledExample(messageExamples['storyContext'])] },
          none: { messages: [] },
        },
      }),
      ...refusals('pull'),
    },
  },
  ack: settling('ack'),
  nack: settling('nack'),
  message: {
    description:
      'What became of a message that this connection sent or was sent. Its producer sees ' +
      'every consumer; a consumer sees itself. A consumer that reads its queue as a cloud ' +
      'role leaves no records of receives.',
    responses: {
      200: success('message', 'Its life so far.', {
        schema: ref('MessageLife'),
        headers: ['cache-control'],
        examples: lifeExamples,
      }),
      ...refusals('message'),
    },
  },
  backlog: {
    description: 'What waits for this consumer, without receiving any of it.',
    responses: {
      200: success('backlog', 'The backlog.', {
        schema: ref('Backlog'),
        headers: ['cache-control'],
        examples: {
          some: {
            visible: 3,
            in_flight: 1,
            oldest_seconds: 42,
            blocked: ['7b1f6d2c-93a4-4b1e-8a57-2f0c9d3e6b10'],
          },
          none: { visible: 0, in_flight: 0, oldest_seconds: null, blocked: [] },
          unknown: {
            visible: 3,
            in_flight: 0,
            oldest_seconds: null,
            oldest_unknown: unknownWords.no_age,
            blocked: [],
          },
        },
      }),
      ...refusals('backlog'),
    },
  },
  registrations: {
    description:
      'The skill instances registered for this executor, including paused ones, 200 a page.',
    parameters: [pageAfter],
    responses: {
      200: success('registrations', 'The registrations.', {
        schema: ref('Registrations'),
        examples: { one: { registrations: [registrationExample] }, none: { registrations: [] } },
      }),
      ...refusals('registrations'),
    },
  },
  ...checkOperations,
  'skill-library': skillLibrary,
  'skill-validate': skillValidate,
  docs: {
    description: 'The first page of the documentation, which leads to all others.',
    parameters: [ifNoneMatch],
    responses: {
      200: response('A page.', {
        schema: { type: 'string' },
        mediaType: 'text/html',
        headers: [...pageHeaders, 'content-encoding?'],
      }),
      304: response('Not modified: you have the current version.', { headers: pageHeaders }),
      ...portalRefusals(),
    },
  },
};

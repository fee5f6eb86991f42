import { limits } from '../../lib/contract/limits.ts';
import type { RouteId } from '../../lib/contract/routes.ts';
import type { IntegerRange } from '../../lib/http/integer-parameter.ts';
import * as schemas from './answer-schemas.ts';
import { answer, charged, corsHeaders, portalRefusals, refusals } from './answers.ts';
import { messageExamples, skillInstance } from './examples.ts';
import { messageNames, ref, type Schema } from './som-schemas.ts';

/** What an operation has beside what its row says. */
export interface Operation {
  readonly description: string;
  readonly parameters?: readonly Schema[];
  readonly requestBody?: Schema;
  readonly responses: Readonly<Record<string, Schema>>;
}

const json = 'application/json';

const body = (content: Schema): Schema => ({ required: true, content });

const valued = (examples: Readonly<Record<string, unknown>>): Schema =>
  Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) as Schema;

const messageBody = body({
  [json]: {
    schema: { anyOf: [...messageNames.map(ref), ref('Envelope')] },
    examples: valued(messageExamples),
  },
});

const verdictExample = {
  accepted: true,
  message_id: '5d0c1f6e-4f0e-4d8a-9d0a-000000000001',
  message_type: 'story.context',
  family: 'story-context',
};

const publishing = (route: RouteId, dryRun: boolean): Operation => ({
  description: `One SOM message, at most ${limits.messageBytes} bytes of UTF-8 JSON. ${
    dryRun
      ? 'The same verdict as a publish; nothing is recorded or sent.'
      : 'Build it once and resend the same bytes until the answer is final.'
  }`,
  requestBody: messageBody,
  responses: {
    200: charged('Accepted before, with the same content.', {
      schema: schemas.duplicate,
      examples: { duplicate: { accepted: true, duplicate: true, message_id: verdictExample.message_id } },
    }),
    202: charged(dryRun ? 'A publish would be accepted.' : 'Committed, and in every subscribed queue.', {
      schema: schemas.accepted(dryRun),
      examples: { accepted: { ...verdictExample, ...(dryRun ? { dry_run: true } : {}) } },
    }),
    ...refusals(route),
  },
});

const range = (name: string, { least, most, usual }: IntegerRange, what: string): Schema => ({
  name,
  in: 'query',
  description: what,
  schema: { type: 'integer', minimum: least, maximum: most, default: usual },
});

const handles: Schema = {
  type: 'array',
  minItems: limits.receiptHandles.least,
  maxItems: limits.receiptHandles.most,
  items: { type: 'string', minLength: 1, maxLength: limits.receiptHandleCharacters },
};

const settling = (route: 'ack' | 'nack', members: Readonly<Record<string, Schema>>): Operation => ({
  description:
    route === 'ack'
      ? 'Takes messages off the queue for good. One bad handle fails nothing else.'
      : 'Gives messages back. Later messages of the same correlation_id from the same call come again as well.',
  requestBody: body({
    [json]: {
      schema: schemas.closed(members),
      examples: valued({ one: { receipt_handles: ['AQEB-an-example-of-a-handle'] } }),
    },
  }),
  responses: {
    200: charged('What became of each handle.', {
      schema: schemas.receipts,
      examples: {
        expired: {
          ok: [],
          failed: [
            {
              receipt_handle: 'AQEB-an-example-of-a-handle',
              rule: 'receipt.expired',
              message: 'Used before.',
            },
          ],
        },
      },
    }),
    ...refusals(route),
  },
});

const tokenForm = schemas.closed({
  grant_type: { const: 'client_credentials' },
  'client_id?': schemas.text('Without Basic authentication.'),
  'client_secret?': schemas.text('Without Basic authentication.'),
  'scope?': schemas.text('Ignored.'),
});

const uncached = ['cache-control', 'pragma'];

const oauthError = (description: string, errors: readonly string[], headers: readonly string[] = []) =>
  answer(description, {
    schema: schemas.tokenError(errors),
    headers: [...uncached, ...headers],
    examples: Object.fromEntries(errors.map(error => [error, { error, error_description: description }])),
  });

const token: Operation = {
  description:
    'The client-credentials grant of RFC 6749 section 4.4. The client authenticates by Basic or in the form, never both.',
  requestBody: body({
    'application/x-www-form-urlencoded': {
      schema: tokenForm,
      examples: valued({ basic: { grant_type: 'client_credentials' } }),
    },
  }),
  responses: {
    ...refusals('token'),
    200: answer('A token for one hour.', {
      schema: schemas.token,
      headers: uncached,
      examples: {
        token: { access_token: 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln', token_type: 'Bearer', expires_in: 3600 },
      },
    }),
    400: oauthError('The request is not a token request.', ['invalid_request', 'unsupported_grant_type']),
    401: oauthError(
      'The client is unknown, or its credentials are not valid here.',
      ['invalid_client'],
      ['www-authenticate?'],
    ),
    503: answer('The client could not be checked, or the token not signed.', {
      schema: {
        anyOf: [
          schemas.tokenError(['temporarily_unavailable']),
          schemas.refusalOf(['registry.unavailable'], false),
        ],
      },
      headers: ['cache-control?', 'pragma?'],
      examples: {
        unavailable: {
          error: 'temporarily_unavailable',
          error_description: 'Try again with a growing pause.',
        },
      },
    }),
  },
};

const open = (route: RouteId, description: string, ok: Schema): Operation => ({
  description,
  responses: { 200: ok, ...refusals(route) },
});

const instance: Schema = { type: 'object', description: 'A configured skill instance.' };
const instances: Schema = { type: 'array', items: instance };
const yamlText = '- {skill_id: smart-stories/flag-on-mismatch, instance_label: one, values: {}}\n';

const skillError = (status: string, code: string) => ({
  [status]: answer(`- \`${code}\``, {
    schema: schemas.portalErrorOf([code]),
    headers: corsHeaders,
    examples: { [code]: { code, message: 'What is wrong, in a sentence.' } },
  }),
});

const skillLibrary: Operation = {
  description: 'The skills as data. It changes only when the library does: ask with If-None-Match.',
  parameters: [
    { name: 'version', in: 'query', description: 'A version of the library.', schema: { type: 'string' } },
    { name: 'If-None-Match', in: 'header', description: 'Tags you have.', schema: { type: 'string' } },
  ],
  responses: {
    200: answer('The library.', {
      schema: schemas.skillLibrary(),
      headers: [...corsHeaders, 'cache-control', 'etag'],
    }),
    304: answer('It is what you have.', { headers: [...corsHeaders, 'cache-control', 'etag'] }),
    ...skillError('404', 'skills.version_unknown'),
    ...portalRefusals(),
  },
};

const skillValidate: Operation = {
  description: 'Checks configured instances. Nothing is stored.',
  requestBody: body({
    [json]: {
      schema: {
        anyOf: [
          schemas.closed({ instance }),
          schemas.closed({ skills: instances }),
          schemas.closed({ yaml: { type: 'string' } }),
          instances,
        ],
      },
      examples: valued({
        instance: { instance: skillInstance },
        skills: { skills: [skillInstance] },
        list: [skillInstance],
        yaml: { yaml: yamlText },
      }),
    },
    'application/yaml': { schema: { type: 'string' }, examples: valued({ file: `skills:\n${yamlText}` }) },
  }),
  responses: {
    200: answer('What was found, valid or not.', {
      schema: schemas.skillReport,
      headers: [...corsHeaders, 'cache-control'],
    }),
    ...skillError('400', 'skills.unreadable'),
    ...portalRefusals(),
  },
};

const principal = schemas.closed({
  connection_id: schemas.text('The producer connection the role is registered on.'),
  challenge: schemas.text('The one-time challenge, `sbc_…`.'),
});

/** Every operation of the route table. */
export const operations: Readonly<Record<RouteId, Operation>> = {
  health: open(
    'health',
    'Whether the bus answers, and what it has schemas for.',
    answer('It does.', { schema: schemas.health }),
  ),
  token,
  jwks: open(
    'jwks',
    'A JWK Set (RFC 7517). During a key rotation it lists the next and the previous key too.',
    answer('The keys.', { schema: schemas.keySet, headers: ['cache-control'] }),
  ),
  'oauth-metadata': open(
    'oauth-metadata',
    'Authorization server metadata (RFC 8414).',
    answer('The metadata.', { schema: schemas.oauthMetadata, headers: ['cache-control'] }),
  ),
  openapi: open(
    'openapi',
    'This description.',
    answer('OpenAPI 3.1.', {
      schema: { type: 'object', required: ['openapi', 'info', 'paths'] },
      headers: [...corsHeaders, 'cache-control'],
    }),
  ),
  publish: publishing('publish', false),
  validate: publishing('validate', true),
  'iam-publish': publishing('iam-publish', false),
  'iam-validate': publishing('iam-validate', true),
  'jwt-publish': publishing('jwt-publish', false),
  'operator-publish': publishing('operator-publish', false),
  'verify-principal': {
    description: 'Signed by the registered role, with the challenge that was shown when it was registered.',
    requestBody: body({
      [json]: {
        schema: principal,
        examples: valued({
          challenge: { connection_id: 'caaaaaaaaaaaa', challenge: 'sbc_from-the-operator' },
        }),
      },
    }),
    responses: {
      200: answer('The role is proven.', { schema: schemas.verifiedPrincipal }),
      ...refusals('verify-principal'),
    },
  },
  pull: {
    description:
      'The next messages of the queue. Each stays hidden for `visibility` seconds, then comes again.',
    parameters: [
      range('max', limits.pullMessages, 'At most this many messages.'),
      range('wait', limits.pullWaitSeconds, 'Seconds to wait for a first message.'),
      range('visibility', limits.pullVisibilitySeconds, 'Seconds until an unacknowledged message returns.'),
    ],
    responses: {
      200: charged('The messages; none is an answer like any other.', {
        schema: schemas.messages,
        examples: { none: { messages: [] } },
      }),
      ...refusals('pull'),
    },
  },
  ack: settling('ack', { receipt_handles: handles }),
  nack: settling('nack', {
    receipt_handles: handles,
    'delay_seconds?': {
      type: 'integer',
      minimum: limits.nackDelaySeconds.least,
      maximum: limits.nackDelaySeconds.most,
      default: limits.nackDelaySeconds.usual,
    },
  }),
  registrations: {
    description: 'The instances that this executor runs for the house, paused ones too.',
    responses: {
      200: charged('The registrations.', {
        schema: schemas.registrations,
        examples: { none: { registrations: [] } },
      }),
      ...refusals('registrations'),
    },
  },
  'skill-library': skillLibrary,
  'skill-validate': skillValidate,
  docs: {
    description: 'The descriptions of both APIs, for people.',
    responses: {
      200: answer('A page.', {
        schema: { type: 'string' },
        mediaType: 'text/html; charset=utf-8',
        headers: ['cache-control', 'content-security-policy', 'x-content-type-options', 'referrer-policy'],
      }),
      ...portalRefusals(),
    },
  },
  'docs-viewer': {
    description: "The page's script.",
    responses: {
      200: answer('JavaScript.', {
        schema: { type: 'string' },
        mediaType: 'text/javascript; charset=utf-8',
        headers: ['cache-control', 'content-encoding', 'vary', 'x-content-type-options'],
      }),
      ...portalRefusals(),
    },
  },
};

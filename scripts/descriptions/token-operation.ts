import { oauthErrors, outcomeUnknown } from '../../lib/contract/refusals.ts';
import { ref } from './components.ts';
import { body, type Operation, valued } from './operation.ts';
import * as schemas from './response-schemas.ts';
import { refusals, response } from './responses.ts';

/** Open: unknown parameters are ignored (RFC 6749 section 3.2). */
export const tokenForm = schemas.open({
  grant_type: { const: 'client_credentials' },
  'client_id?': schemas.text('Only without Basic authentication.'),
  'client_secret?': schemas.text('Only without Basic authentication.'),
  'scope?': schemas.text('Ignored.'),
});

const uncached = ['cache-control', 'pragma'];

const errorsOf = (status: number): readonly string[] =>
  Object.entries(oauthErrors).flatMap(([error, itsStatus]) => (itsStatus === status ? error : []));

const oauthError = (
  description: string,
  errors: readonly string[],
  headers: readonly string[] = [],
) =>
  response(description, {
    schema: ref('TokenError'),
    headers: [...uncached, ...headers],
    rules: errors,
    examples: Object.fromEntries(
      errors.map(error => [error, { error, error_description: description }]),
    ),
  });

export const token: Operation = {
  description:
    'The client-credentials grant of RFC 6749 section 4.4. The client authenticates with HTTP ' +
    'Basic or in the form, but not both.',
  requestBody: body({
    'application/x-www-form-urlencoded': {
      schema: ref('TokenRequest'),
      examples: valued({ basic: { grant_type: 'client_credentials' } }),
    },
  }),
  responses: {
    ...refusals('token'),
    200: response('A token that is valid for one hour.', {
      schema: ref('Token'),
      headers: uncached,
      examples: {
        token: {
          access_token: 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln',
          token_type: 'Bearer',
          expires_in: 3600,
        },
      },
    }),
    400: oauthError('The request is not a token request.', errorsOf(400)),
    401: oauthError(
      'The client is unknown, or its credentials are not valid here.',
      errorsOf(401),
      ['www-authenticate?', 'x-amzn-remapped-www-authenticate?'],
    ),
    503: response('The registry or the signing key is unavailable.', {
      schema: { anyOf: [ref('TokenError'), ref('Refusal')] },
      headers: ['cache-control?', 'pragma?'],
      rules: [...errorsOf(503), 'registry.unavailable', outcomeUnknown.bus.rule],
      examples: {
        unavailable: {
          error: 'temporarily_unavailable',
          error_description: 'Retry with backoff.',
        },
      },
    }),
  },
};

import type { RouteId } from '../../lib/contract/routes.ts';

/** What the API pages call each route. */
export const titles: Readonly<Record<RouteId, string>> = {
  health: 'Health',
  token: 'Access token',
  jwks: 'Public keys',
  'oauth-metadata': 'Authorization server metadata',
  openapi: 'OpenAPI description',
  publish: 'Publish a message',
  validate: 'Dry run of a message',
  'iam-publish': 'Publish a message as a cloud role',
  'iam-validate': 'Dry run as a cloud role',
  'verify-principal': 'Prove a cloud role',
  pull: 'Pull messages',
  ack: 'Acknowledge messages',
  nack: 'Give messages back',
  registrations: 'Registered skill instances',
  'jwt-publish': "Publish with a token of the operator's issuer",
  'operator-publish': "Publish as the operator's cloud role",
  'skill-library': 'Skill library',
  'skill-validate': 'Check skill instances',
  docs: 'API pages',
  'docs-viewer': 'Script of the API pages',
};

/** What each route is for, in the README's table. */
export const summaries: Readonly<Record<RouteId, string>> = {
  health: 'whether the bus answers, and what it knows of SOM',
  token: 'exchange client id and secret for an access token',
  jwks: 'the keys that verify access tokens',
  'oauth-metadata': 'authorization server metadata (RFC 8414)',
  openapi: 'the OpenAPI description of the bus',
  publish: 'publish a SOM message',
  validate: 'dry run: the verdict a publish would get',
  'iam-publish': 'publish a SOM message as a cloud role',
  'iam-validate': 'dry run as a cloud role',
  'verify-principal': 'prove that the registered cloud role is yours',
  pull: 'pull the next messages, waiting for them if asked to',
  ack: 'take handled messages off the queue',
  nack: 'give received messages back, to come again',
  registrations: 'the skill instances that a connection executes',
  'jwt-publish': "publish with an operator issuer's token",
  'operator-publish': 'publish with a role the operator registered',
  'skill-library': 'the skills, as data',
  'skill-validate': 'check skill instances before they are registered',
  docs: 'both descriptions, for people',
  'docs-viewer': 'the script of that page',
};

import type { RouteId } from '../../lib/contract/routes.ts';

/** What the API pages call each route; what it is for says its row. */
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
  nack: 'Return messages',
  registrations: 'Registered skill instances',
  'jwt-publish': "Publish with a token of the operator's issuer",
  'operator-publish': "Publish as the operator's cloud role",
  'skill-library': 'Skill library',
  'skill-validate': 'Check skill instances',
  docs: 'API pages',
  'docs-viewer': 'Script of the API pages',
};

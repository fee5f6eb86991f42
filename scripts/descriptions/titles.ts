import type { RouteId } from '../../lib/contract/routes.ts';

/** The title of each route in the API reference. */
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
  'verify-principal': 'Verify a cloud role',
  pull: 'Pull messages',
  ack: 'Acknowledge messages',
  nack: 'Return messages',
  registrations: 'Registered skill instances',
  'jwt-publish': "Publish with a token of the operator's issuer",
  'operator-publish': "Publish as the operator's cloud role",
  'skill-library': 'Skill library',
  'skill-validate': 'Check skill instances',
  docs: 'API reference',
  'docs-viewer': 'Script of the API reference',
};

import { limits } from '../../lib/contract/limits.ts';
import type { DescribedRouteId } from '../../lib/contract/routes.ts';
import type { Schema } from './components.ts';

/** The title of each route in the API reference. */
export const titles: Readonly<Record<DescribedRouteId, string>> = {
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
  message: 'Life of a message',
  backlog: 'Backlog of a consumer',
  registrations: 'Registered skill instances',
  'check-start': 'Start a test run',
  'check-list': 'Test runs of a connection',
  'check-report': 'Report of a test run',
  'check-evidence': 'Digests of a report',
  'check-stop': 'Stop a test run',
  'jwt-publish': "Publish with a token of the operator's issuer",
  'operator-publish': "Publish as the operator's cloud role",
  'skill-library': 'Skill library',
  'skill-validate': 'Check skill instances',
  docs: 'Documentation',
};

/** What each route is for, in the README's table. */
export const summaries: Readonly<Record<DescribedRouteId, string>> = {
  health: 'health check, with the SOM version and message types that the bus supports',
  token: 'exchange a client id and secret for an access token',
  jwks: 'the public keys that verify access tokens',
  'oauth-metadata': 'authorization server metadata (RFC 8414)',
  openapi: 'the OpenAPI description of the bus',
  publish: 'publish a SOM message',
  validate: 'dry run: the verdict a publish would get',
  'iam-publish': 'publish a SOM message as a cloud role',
  'iam-validate': 'dry run as a cloud role',
  'verify-principal': 'prove that you hold the registered cloud role',
  pull: 'pull the next messages, with long polling if you want it',
  ack: 'acknowledge messages: remove them from the queue',
  nack: 'return messages to the queue for redelivery',
  message: 'what became of a message: its verdict, and where it is for each consumer',
  backlog: 'how many messages wait, how old the oldest is, and which correlations are blocked',
  registrations: 'list the skill instances registered for the connection',
  'check-start': 'start a test run of the connection itself',
  'check-list': 'the test runs of the connection, the newest first',
  'check-report': 'what a test run found so far: as JSON, HTML, JUnit XML or Markdown',
  'check-evidence': 'what the bus knows of a report: its digests, verdict and date',
  'check-stop': 'stop a test run',
  'jwt-publish': 'publish with a token of an issuer that the operator registered',
  'operator-publish': 'publish as a cloud role that the operator registered',
  'skill-library': 'the skill library, as data',
  'skill-validate': 'check skill instances before they are registered',
  docs: 'the documentation: guides, rules, the contract, the API reference',
};

/** What an operation has beside what its row says. */
export interface Operation {
  readonly description: string;
  readonly parameters?: readonly Schema[];
  readonly requestBody?: Schema;
  readonly responses: Readonly<Record<string, Schema>>;
}

export const json = 'application/json';

export const body = (content: Schema): Schema => ({ required: true, content });

export const valued = (examples: Readonly<Record<string, unknown>>): Schema =>
  Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) as Schema;

/** Where a page of a list begins. */
export const pageAfter: Schema = {
  name: 'after',
  in: 'query',
  description: 'The `next` of the page before, unchanged.',
  schema: { type: 'string', maxLength: limits.queryBytes },
};

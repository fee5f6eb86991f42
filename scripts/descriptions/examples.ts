import { readFileSync } from 'node:fs';
import { issuerOf } from '../../lib/bus/tokens/access-token.ts';
import { health } from '../../lib/contract/message-types.ts';
import { routes } from '../../lib/contract/routes.ts';
import { yamlFile } from '../yaml-file.ts';
import type { Json, Schema } from './components.ts';
import { titles } from './operation.ts';

/** The system that the local service's demo producer may send as. */
const demoSystem = 'demo-ncs';

interface Examples {
  readonly messages: Readonly<
    Record<string, { readonly message_type: string; readonly payload: Json }>
  >;
  readonly lives: Readonly<Record<string, Json>>;
  readonly keySet: Json;
  readonly pulled: Schema;
  readonly skillInstance: Schema;
}

// test/docs checks them
const examples = yamlFile('scripts/descriptions/examples.yaml') as Examples;
const { messages, pulled } = examples;

/** An instance that the catalogue finds valid. */
export const { skillInstance, keySet: keySetExample } = examples;

/** The life of a message that was accepted, and of one that was refused. */
export const { lives: lifeExamples } = examples;

const envelope = (message_type: string, number: number, payload: Json): Json => ({
  som_version: '1.0.0',
  message_id: `5d0c1f6e-4f0e-4d8a-9d0a-00000000000${number}`,
  correlation_id: '7b1f6d2c-93a4-4b1e-8a57-2f0c9d3e6b10',
  message_type,
  timestamp: '2026-05-04T09:00:00Z',
  originating_system: { system_id: demoSystem, system_type: 'ncs' },
  topic: 'som.story',
  payload,
});

/** Messages that a fresh local service accepts, by the name of their example. */
export const messageExamples: Readonly<Record<string, Json>> = Object.fromEntries(
  Object.entries(messages).map(([name, { message_type, payload }], index) => [
    name,
    envelope(message_type, index + 1, payload),
  ]),
);

/** What a pull gives for a message. */
export const pulledExample = (envelope: Json | undefined): Json => ({
  ...pulled,
  envelope: envelope ?? null,
});

const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));

export const busTitle = 'som-bus: the bus';

/** Where the local service is, when nobody says otherwise. */
export const localOrigin = 'http://127.0.0.1:8787';

export const healthExample: Json = health;

export const oauthMetadataExample: Json = {
  issuer: issuerOf(localOrigin),
  token_endpoint: localOrigin + routes.token.path,
  jwks_uri: localOrigin + routes.jwks.path,
  grant_types_supported: ['client_credentials'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  response_types_supported: [],
};

/** How the description begins; the whole of it would hold itself. */
export const openApiExample: Json = {
  openapi: '3.1.0',
  info: { title: busTitle, version },
  paths: { [routes.health.path]: { get: { operationId: 'health', summary: titles.health } } },
};

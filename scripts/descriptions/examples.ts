import { readFileSync } from 'node:fs';
import { health } from '../../lib/contract/message-types.ts';
import { routes } from '../../lib/contract/routes.ts';
import { issuerOf } from '../../lib/tokens/access-token.ts';
import type { Json } from './components.ts';
import { titles } from './operation.ts';

/** The system that the local service's demo producer may send as. */
const demoSystem = 'demo-ncs';

const envelope = (message_type: string, last: string, payload: { readonly [name: string]: Json }): Json => ({
  som_version: '1.0.0',
  message_id: `5d0c1f6e-4f0e-4d8a-9d0a-0000000000${last}`,
  correlation_id: '7b1f6d2c-93a4-4b1e-8a57-2f0c9d3e6b10',
  message_type,
  timestamp: '2026-05-04T09:00:00Z',
  originating_system: { system_id: demoSystem, system_type: 'ncs' },
  topic: 'som.story',
  payload,
});

/** Messages that a fresh local service accepts, by the name of their example. */
export const messageExamples: Readonly<Record<string, Json>> = {
  storyContext: envelope('story.context', '01', {
    story_id: 'story-harbour-fire',
    slug: 'HARBOUR-FIRE',
    headline: 'Fire in the harbour',
    story_type: 'PLANNED',
    sequence_number: 1,
    updated_at: '2026-05-04T09:00:00Z',
  }),
  linkCommitted: envelope('link.committed', '02', {
    message_type: 'link.committed',
    link_id: '0f7f4a52-61a5-4dd6-9a2e-3c4d1b8a7e01',
    asset_id: 'clip-1',
    destination_id: 'evening-news',
    committed_by: 'editor-7',
    committed_at: '2026-05-04T09:00:00Z',
    compliance_gate_status: 'CLEARED',
  }),
  tellingStarted: envelope('telling.started', '03', {
    message_type: 'telling.started',
    telling_id: '3c1b6a70-2f1d-4c55-8c0a-5a7d3e0f9b21',
    link_id: '0f7f4a52-61a5-4dd6-9a2e-3c4d1b8a7e01',
    exposure_start: '2026-05-04T09:00:00Z',
  }),
  mediaAvailable: envelope('delivery.media_available', '04', {
    message_type: 'delivery.media_available',
    delivery_id: '9a4e2b1c-7d35-4f60-b8e9-1c2d3e4f5a61',
    asset_id: 'clip-1',
    arrived_in: 'archive-north',
    locator: { store: 'archive-north', ref: 'clips/1' },
    arrived_at: '2026-05-04T09:00:00Z',
  }),
  systemAudit: envelope('system.audit', '05', {
    message_type: 'system.audit',
    audit_id: '4d7f0c92-6b18-4e3a-9f51-8a2b3c4d5e71',
    action: 'CLEARED',
    target: { kind: 'LINK', id: '0f7f4a52-61a5-4dd6-9a2e-3c4d1b8a7e01' },
    actor: { actor_id: 'editor-7', actor_type: 'person' },
    recorded_at: '2026-05-04T09:00:00Z',
  }),
  skillWarning: envelope('skill.warning.raised', '06', {
    message_type: 'skill.warning.raised',
    warning_id: '7e2a9d34-1c6f-4b58-a0d3-6f5e4d3c2b81',
    skill_id: 'house/legal',
    skill_version: '1.0.0',
    story_id: 'story-harbour-fire',
    scope: 'story',
    severity: 'flag',
    rule_id: 'unnamed-source',
    non_overridable: false,
    affected_fields: ['headline'],
    detail: 'The headline names nobody as its source.',
    blocks: [],
    skill_warning_ref: 'warnings/81',
  }),
  /** A type that skills recall on and that SOM 1.0 has no schema for. */
  assetIngested: envelope('asset.ingested', '07', { asset_id: 'clip-1', store: 'archive-north' }),
};

/** What a pull gives for a message. */
export const pulledExample = (envelope: Json | undefined): Json => ({
  receipt_handle: 'AQEB-an-example-of-a-handle',
  message_id: '5d0c1f6e-4f0e-4d8a-9d0a-000000000001',
  message_type: 'story.context',
  correlation_id: '7b1f6d2c-93a4-4b1e-8a57-2f0c9d3e6b10',
  producer_id: 'caaaaaaaaaaaa',
  system_id: demoSystem,
  enqueued_at: '2026-05-04T09:00:00.120Z',
  receive_count: 1,
  envelope: envelope ?? null,
});

/** The life of a message that was accepted, and of one that was refused. */
export const lifeExamples: Readonly<Record<string, Json>> = {
  accepted: {
    message_id: '5d0c1f6e-4f0e-4d8a-9d0a-000000000001',
    verdict: 'accepted',
    message_type: 'story.context',
    correlation_id: '7b1f6d2c-93a4-4b1e-8a57-2f0c9d3e6b10',
    system_id: demoSystem,
    producer_id: 'caaaaaaaaaaaa',
    accepted_at: '2026-05-04T09:00:00.120Z',
    size_bytes: 412,
    consumers: [
      {
        connection_id: 'cbbbbbbbbbbbb',
        state: 'acknowledged',
        received: [
          {
            received_at: '2026-05-04T09:00:01.000Z',
            receive_count: 1,
            acknowledged_at: '2026-05-04T09:00:01.250Z',
          },
        ],
        replayed: [],
      },
    ],
    refusals: [],
    repeated_at: [],
  },
  refused: {
    message_id: '5d0c1f6e-4f0e-4d8a-9d0a-000000000002',
    verdict: 'refused',
    consumers: [],
    refusals: [
      {
        refused_at: '2026-05-04T09:00:00.120Z',
        connection_id: 'caaaaaaaaaaaa',
        size_bytes: 398,
        violations: [
          {
            source: 'schema',
            rule: 'story-context.required',
            message: 'must have required property headline',
            path: '/payload',
          },
        ],
      },
    ],
    repeated_at: [],
  },
};

const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));

export const busTitle = 'som-bus: the bus';

/** Where the local service is, when nobody says otherwise. */
export const localOrigin = 'http://127.0.0.1:8787';

export const healthExample: Json = health;

/** A recorded key: `kid` is its thumbprint. */
export const keySetExample: Json = {
  keys: [
    {
      kty: 'EC',
      crv: 'P-256',
      x: 'ZExo8BjySSgN7y7fdr4FL8a2yeSFcJ2BF4g0MnPbE5Q',
      y: 'Bf3A40Adt83ah-y3-_5JBnAPQvxDyWX3kqt-ukDrggY',
      kid: '9-y738zVPhuD2V-1zvz_X8Q_HGBZUPYVp4fYDNAyZrI',
      alg: 'ES256',
      use: 'sig',
    },
  ],
};

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

// What `som-bus/client` exports.
export type {
  Envelope,
  JsonObject,
  JsonValue,
  MessageOf,
  MessageType,
  Payloads,
  SomMessage,
  System,
  Timestamp,
  Uuid,
} from '../../generated/som-messages.generated.ts';
export { type Attempt, NoResponse } from './attempts.ts';
export {
  type Bus,
  type CallOptions,
  type ConnectOptions,
  connect,
  fromEnvironment,
  type Outgoing,
} from './client.ts';
export {
  type ConsumeOptions,
  ConsumerRefused,
  type Delivery,
  type Settlement,
} from './deliveries.ts';
export { type Compose, type Draft, uuidv5, uuidv7 } from './envelope.ts';
export type { Outside } from './outside.ts';
export type {
  Backlog,
  Pulled,
  PulledMessage,
  PullQuery,
  Registrations,
  Settled,
  SkillRegistration,
} from './queue.ts';
export {
  type Accepted,
  type DryRunVerdict,
  type Duplicate,
  type Refused,
  type TokenRefused,
  type Uncertain,
  UnexpectedResponse,
  type Verdict,
  type Violation,
} from './verdict.ts';

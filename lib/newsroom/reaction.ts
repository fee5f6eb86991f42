import type { MessageOf, MessageType, Payloads, SomMessage } from '../client/index.ts';
import { derivedId, instant } from './day.ts';
import { type RoleName, systemOf } from './roles.ts';

/** What a system publishes because of a message. */
export interface Reaction {
  /** How long after its cause it is stamped. */
  readonly seconds: number;
  readonly message: SomMessage;
  /** What this ends: unless the bus has a message of this id, it never began, and there is nothing to publish. */
  readonly ends?: SomMessage;
}

export const stamp = (cause: SomMessage, seconds: number) =>
  instant(Date.parse(cause.timestamp) + seconds * 1000);

interface Told<Type extends MessageType> {
  readonly seconds: number;
  readonly type: Type;
  readonly about: string;
  readonly payload: Payloads[Type];
}

/**
 * The message of a reaction. Its id comes from what it is about: a role that learns the same thing again derives the same id,
 * and the bus has it already.
 */
export const reaction = <Type extends MessageType>(
  role: RoleName,
  cause: SomMessage,
  told: Told<Type>,
): Reaction => {
  const { seconds } = told;
  const message: MessageOf<Type> = {
    som_version: '1.0.0',
    message_id: derivedId('message', role, told.type, told.about),
    correlation_id: cause.correlation_id,
    causation_id: cause.message_id,
    message_type: told.type,
    timestamp: stamp(cause, seconds),
    originating_system: systemOf(role),
    topic: `som.${told.type}`,
    payload: told.payload,
  };
  return { seconds, message: message as SomMessage }; // one of its types
};

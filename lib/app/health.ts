import { messageTypes, somVersion } from '../contract/message-types.ts';

/** Liveness, and what the bus has schemas for. */
export const health = { ok: true, som_version: somVersion, message_types: messageTypes };

import { checkGrants } from '../domain/message/check-grants.ts';
import { type Judgement, judge } from '../domain/message/judge.ts';
import type { Message } from '../domain/message/message.ts';
import { readMessage } from '../domain/message/read-message.ts';
import type { Connection } from '../domain/registry/connection.ts';
import type { Ledger, LedgerState } from '../ports/ledger.ts';
import { type Refusal, refused } from './refusal.ts';

/** The message of some bytes, when they are one that this connection may send. */
export const examine = (
  body: Uint8Array,
  connection: Connection,
): { readonly kind: 'read'; readonly message: Message } | Refusal => {
  const reading = readMessage(body);
  if (!reading.ok) return refused(...reading.violations);
  const [first, ...rest] = checkGrants(reading.message, connection);
  return first ? refused(first, ...rest) : { kind: 'read', message: reading.message };
};

/** What the ledger knows of a message, and what follows from it. */
export interface Consultation {
  readonly state: LedgerState;
  readonly judgement: Judgement;
}

const look = async (ledger: Ledger, workspace: string, message: Message): Promise<Consultation> => {
  const { messageId, correlationId, story } = message;
  const state = await ledger.read({
    workspace,
    messageId,
    correlationId,
    ...(story ? { storyId: story.storyId } : {}),
  });
  const judgement = judge(message, {
    ...(state.accepted ? { accepted: state.accepted } : {}),
    ...(state.story ? { story: state.story.state } : {}),
  });
  return { state, judgement };
};

/**
 * Decides a message on what the ledger knows now. The parts of a read are not one moment: a twin of this very message
 * may have been committed between them, and a snapshot would then be refused because of itself. So a refusal
 * counts only when the message is still unknown after it.
 */
export const consult = async (ledger: Ledger, workspace: string, message: Message): Promise<Consultation> => {
  const first = await look(ledger, workspace, message);
  if (first.judgement.kind !== 'refuse' || first.state.accepted) return first;
  const second = await look(ledger, workspace, message);
  return second.state.accepted ? second : first;
};

import type { Violation } from '../../contract/violation.ts';
import type { Connection } from '../registry/connection.ts';
import { checkGrants } from './check-grants.ts';
import { type Judgement, judge, type KnownState } from './judge.ts';
import type { Message } from './message.ts';
import { readMessage } from './read-message.ts';

export type Verdict = Judgement & {
  /** Absent when the body could not be read as a valid message. */
  readonly message?: Message;
};

const refuse = (violations: readonly [Violation, ...Violation[]]): Verdict => ({
  kind: 'refuse',
  violations,
});

/**
 * The gateway's whole judgement of a published body, in the order the contract gives: the message itself, then
 * the connection's grants, then duplicates, then the story's order. Publishing and `/validate` share it.
 */
export const verdict = (bytes: Uint8Array, connection: Connection, state: KnownState): Verdict => {
  const read = readMessage(bytes);
  if (!read.ok) return refuse(read.violations);
  const { message } = read;
  const [first, ...rest] = checkGrants(message, connection);
  if (first !== undefined) return { ...refuse([first, ...rest]), message };
  return { ...judge(message, state), message };
};

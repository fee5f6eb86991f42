import { type Commit, type Entry, type Head, isFree, newLease, type Target } from '../delivery/log.ts';
import type { Message } from '../messages/read-message.ts';
import type { Connection } from '../registry/connection.ts';
import { isSubscribed } from '../registry/permissions.ts';
import type { Consultation } from './verdict.ts';

/** One message that may be published, if the ledger agrees. */
export interface Submission {
  readonly message: Message;
  readonly body: Uint8Array;
  readonly connection: Connection;
  /** Identifies this publish as the holder of a lease and as the committer. */
  readonly owner: string;
  /** Epoch milliseconds. */
  readonly deadline: number;
}

/** The queues that a message goes to: those of the active consumers that subscribe to it. */
export const targetsOf = (consumers: readonly Connection[], message: Message): readonly Target[] =>
  consumers.flatMap(consumer => {
    const { id, status, queue } = consumer;
    return status === 'active' && queue !== undefined && isSubscribed(consumer, message)
      ? [{ connection: id, queue }]
      : [];
  });

/**
 * The entry that a message becomes, after the last one of its correlation. Times never go back within a correlation: the
 * archive is sorted by time and must keep the log's order even if clocks differ.
 */
const entryOf = (
  { message, connection, body }: Submission,
  head: Head,
  { now, targets }: { readonly now: number; readonly targets: readonly Target[] },
): Entry => ({
  workspace: connection.workspace,
  correlationId: message.correlationId,
  number: head.last + 1,
  messageId: message.messageId,
  messageType: message.messageType,
  systemId: message.systemId,
  producer: connection.id,
  acceptedAt: Math.max(now, head.lastAcceptedAt ?? 0),
  targets,
  body,
});

type Acceptable = Extract<Consultation['judgement'], { kind: 'accept' }>;

/** All that the message writes if the ledger is still as it was read. It also takes the lease, if that is free. */
export const commitOf = (
  submission: Submission,
  { head, story }: Consultation['state'],
  facts: { readonly judgement: Acceptable; readonly targets: readonly Target[]; readonly now: number },
): Commit => {
  const { message, owner } = submission;
  const { judgement, now } = facts;
  return {
    entry: entryOf(submission, head, facts),
    contentHash: message.contentHash,
    attempt: owner,
    head,
    ...(isFree(head.lease, now) ? { lease: newLease(owner, now) } : {}),
    ...(judgement.story ? { story: { state: judgement.story, version: story?.version ?? 0 } } : {}),
  };
};

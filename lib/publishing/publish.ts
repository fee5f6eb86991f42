import { limits } from '../contract/limits.ts';
import { type Ids, randomName } from '../contract/outside.ts';
import { type Refusal, refuse, refused, type Violation } from '../contract/refusals.ts';
import {
  awaitDelivery,
  type DeliveryFault,
  type DeliveryPorts,
  deliveryFault,
  drain,
  runOf,
} from '../delivery/deliver.ts';
import {
  type AcceptedId,
  type Commit,
  type CommitConflict,
  type Entry,
  type Head,
  isFree,
  type Ledger,
  type LedgerState,
  newLease,
  type Target,
} from '../delivery/log.ts';
import type { Message } from '../messages/read-message.ts';
import type { Connection } from '../registry/connection.ts';
import { isSubscribed } from '../registry/permissions.ts';
import { consult, examine, type Judgement, type Verdict } from './verdict.ts';

/**
 * The entry that a message becomes, after the last one of its correlation. Its time never goes back within the
 * correlation, so that the archive, which is sorted by time, keeps the log's order when clocks differ.
 */
const entryOf = (
  { message, connection, body }: { message: Message; connection: Connection; body: Uint8Array },
  head: Head,
  { now, targets }: { now: number; targets: readonly Target[] },
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

/** Which queues a message goes to: those of the active consumers that receive its type from its system. */
export const targetsOf = (consumers: readonly Connection[], message: Message): readonly Target[] =>
  consumers.flatMap(consumer => {
    const { id, status, queue } = consumer;
    return status === 'active' && queue !== undefined && isSubscribed(consumer, message)
      ? [{ connection: id, queue }]
      : [];
  });

export interface PublishPorts extends DeliveryPorts {
  readonly ids: Ids;
  readonly ledger: Ledger;
}

/** One message on its way in. */
interface Submission {
  readonly message: Message;
  readonly body: Uint8Array;
  readonly connection: Connection;
  /** Names this attempt as the holder of a lease, and as the one that committed. */
  readonly owner: string;
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** What was tolerated with each number of the log that the message was to be committed under. */
  readonly tolerated: Map<number, readonly Violation[]>;
}

type Accepted = Extract<Judgement, { kind: 'accept' }>;

/** A round that ended without a verdict; `fault`: it cannot be known whether the commit happened, or will. */
type Undecided = CommitConflict | { readonly fault: unknown };

/** The reads took so long that a commit could outlast the function: nothing was written. */
const outOfTime: CommitConflict = { id: false, head: false, story: false };

/** In every queue, or a 503 that tells the producer to send the same message again. */
const settle = async (delivery: Promise<boolean>, done: Verdict): Promise<Verdict> =>
  (await delivery) ? done : { ...done, ...refuse('bus.publish_failed') };

const deliverCommitted = async (
  ports: PublishPorts,
  submission: Submission,
  { entry, lease, head }: Commit,
): Promise<boolean> => {
  const run = lease && { ...runOf(head, lease, entry.acceptedAt), inHand: entry };
  if (run && (await drain(ports, run, entry)) >= entry.number) return true;
  return awaitDelivery(ports, entry, submission);
};

/** A message that the ledger has: by an earlier call, or by a write of this one whose answer was lost. */
const settleKnown = (
  ports: PublishPorts,
  submission: Submission,
  known: { readonly accepted: AcceptedId; readonly published: number },
): Promise<Verdict> => {
  const { message, connection, owner, tolerated } = submission;
  const { accepted } = known;
  const position = { workspace: connection.workspace, ...accepted };
  const delivered =
    known.published >= accepted.number ? Promise.resolve(true) : awaitDelivery(ports, position, submission);
  return settle(
    delivered,
    accepted.attempt === owner
      ? { kind: 'accepted', message, tolerated: tolerated.get(accepted.number) ?? message.tolerated }
      : { kind: 'duplicate', message },
  );
};

const commitOf = (
  ports: PublishPorts,
  submission: Submission,
  facts: {
    readonly state: LedgerState;
    readonly judgement: Accepted;
    readonly consumers: readonly Connection[];
  },
): Commit => {
  const { state, judgement, consumers } = facts;
  const { message, owner } = submission;
  const now = ports.clock.now();
  return {
    entry: entryOf(submission, state.head, { now, targets: targetsOf(consumers, message) }),
    contentHash: message.contentHash,
    attempt: owner,
    head: state.head,
    ...(isFree(state.head.lease, now) ? { lease: newLease(owner, now) } : {}),
    ...(judgement.story ? { story: { state: judgement.story, version: state.story?.version ?? 0 } } : {}),
  };
};

/** One look at the ledger and, where the message may be accepted, one attempt to commit it. */
const attempt = async (ports: PublishPorts, submission: Submission): Promise<Verdict | Undecided> => {
  const { message, connection } = submission;
  // A consumer made a second ago gets this message: the list is read anew, beside the ledger.
  const [{ state, judgement }, consumers] = await Promise.all([
    consult(ports.ledger, connection.workspace, message),
    ports.registry.consumersOf(connection.workspace),
  ]);
  if (judgement.kind === 'refuse') return { ...refused(...judgement.violations), message };
  if (judgement.kind === 'duplicate') {
    return settleKnown(ports, submission, {
      accepted: judgement.accepted,
      published: state.head.published,
    });
  }
  if (ports.clock.now() >= submission.deadline) return outOfTime;
  const commit = commitOf(ports, submission, { state, judgement, consumers });
  submission.tolerated.set(commit.entry.number, judgement.tolerated);
  const conflict = await ports.ledger.commit(commit).catch((fault: unknown) => ({ fault }));
  if (conflict) return conflict;
  const done: Verdict = { kind: 'accepted', message, tolerated: judgement.tolerated };
  return settle(deliverCommitted(ports, submission, commit), done);
};

/** A pause of random length, so that writers who collided do not collide again. */
const pause = ({ clock, ids }: PublishPorts, round: number): Promise<void> => {
  const [random = 0] = ids.random(1);
  const max = Math.min(limits.deliveryPollMilliseconds * 2 ** round, 500);
  return clock.sleep((max * random) / 255);
};

/**
 * Whether a round may have left the message in the ledger: its write may have happened, or yet will, and an id that is
 * taken may have been taken by a try of this very write.
 */
const mayBeCommitted = (result: Undecided): boolean => 'fault' in result || result.id;

/**
 * Decides and commits a message in rounds, each against a fresh read. After a commit whose outcome is not known the
 * next round finds it, or makes it impossible by committing itself: until then nobody may say that nothing was accepted.
 */
const decide = async (ports: PublishPorts, submission: Submission): Promise<Verdict | Refusal> => {
  let open = false;
  for (let round = 1, lostToStory = 0; ; round += 1) {
    const result = await attempt(ports, submission).catch((fault: unknown) => {
      if (!open) throw fault;
      return { fault };
    });
    if ('kind' in result) return result;
    open ||= mayBeCommitted(result);
    if ('fault' in result) ports.noteFault?.(deliveryFault(result.fault));
    lostToStory += 'story' in result && result.story ? 1 : 0;
    if (!open && lostToStory >= limits.storyContentionRounds) return refuse('commit.contention');
    if (ports.clock.now() >= submission.deadline) {
      return refuse(open ? 'bus.publish_failed' : 'registry.unavailable');
    }
    await pause(ports, round);
  }
};

/**
 * Decides a message, commits it once and puts it into the queue of every consumer that receives it.
 * A faulty registry or ledger is thrown: nothing was accepted then.
 */
export const publish =
  (ports: PublishPorts) =>
  async (body: Uint8Array, connection: Connection): Promise<Verdict> => {
    const examined = examine(body, connection);
    if (examined.kind === 'refused') return examined;
    const { message } = examined;
    const owner = randomName(ports.ids);
    const deadline = ports.clock.now() + limits.publishBudgetMilliseconds;
    const faults: { last?: DeliveryFault } = {};
    const noteFault = (fault: DeliveryFault) => {
      faults.last = fault;
    };
    const submission: Submission = { message, body, connection, owner, deadline, tolerated: new Map() };
    const verdict = { ...(await decide({ ...ports, noteFault }, submission)), message };
    const failed = verdict.kind === 'refused' && verdict.violations[0].rule === 'bus.publish_failed';
    return failed && faults.last ? { ...verdict, fault: faults.last } : verdict;
  };

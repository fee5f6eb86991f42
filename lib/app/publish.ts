import { limits } from '../contract/limits.ts';
import type { Entry } from '../domain/delivery/log.ts';
import { targetsOf } from '../domain/delivery/targets.ts';
import type { Message } from '../domain/message/message.ts';
import type { Connection } from '../domain/registry/connection.ts';
import type {
  Clock,
  Commit,
  CommitConflict,
  Ids,
  Ledger,
  LedgerState,
  Log,
  Queues,
  Registry,
} from '../ports.ts';
import { consult, examine } from './consult.ts';
import { awaitDelivery, drain } from './deliver.ts';
import { refuse, refused } from './refusal.ts';
import type { Verdict } from './verdict.ts';

export interface PublishPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly registry: Registry;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly queues: Queues;
}

/** One message on its way in. */
interface Submission {
  readonly message: Message;
  readonly body: Uint8Array;
  readonly connection: Connection;
  /** Names this attempt as the holder of a lease. */
  readonly owner: string;
  /** Epoch milliseconds. */
  readonly deadline: number;
}

const ownerBytes = 12;

const free = ({ head }: LedgerState, now: number): boolean =>
  head.lease === undefined || head.lease.until <= now;

/** The entry a submission becomes, after the last one of its correlation. */
const entryOf = (
  submission: Submission,
  number: number,
  facts: { now: number; targets: Entry['targets'] },
): Entry => {
  const { message, connection, body } = submission;
  return {
    workspace: connection.workspace,
    correlationId: message.correlationId,
    number,
    messageId: message.messageId,
    messageType: message.messageType,
    systemId: message.systemId,
    producer: connection.id,
    acceptedAt: facts.now,
    targets: facts.targets,
    body,
  };
};

/** In every queue, or a 503 that tells the producer to send the same message again. */
const settle = async (delivery: Promise<boolean>, done: Verdict): Promise<Verdict> => {
  const delivered = await delivery.catch(() => false);
  return delivered ? done : { ...done, ...refuse('bus.publish_failed') };
};

const deliverCommitted = async (
  ports: PublishPorts,
  submission: Submission,
  commit: Commit,
): Promise<boolean> => {
  const { entry, lease, head } = commit;
  const run = lease && { lease, published: head.published, inHand: entry };
  return (run !== undefined && (await drain(ports, run, entry))) || awaitDelivery(ports, entry, submission);
};

/** One look at the ledger and, where the message may be accepted, one attempt to commit it. */
const attempt = async (ports: PublishPorts, submission: Submission): Promise<Verdict | CommitConflict> => {
  const { message, connection } = submission;
  const [{ state, judgement }, consumers] = await Promise.all([
    consult(ports.ledger, connection.workspace, message),
    ports.registry.consumersOf(connection.workspace),
  ]);
  if (judgement.kind === 'refuse') return { ...refused(...judgement.violations), message };
  if (judgement.kind === 'duplicate') {
    const position = { workspace: connection.workspace, ...judgement.accepted };
    return settle(awaitDelivery(ports, position, submission), { kind: 'duplicate', message });
  }
  const now = ports.clock.now();
  const lease = { owner: submission.owner, until: now + limits.leaseMilliseconds };
  const commit: Commit = {
    entry: entryOf(submission, state.head.last + 1, { now, targets: targetsOf(consumers, message) }),
    contentHash: message.contentHash,
    head: state.head,
    ...(free(state, now) ? { lease } : {}),
    ...(judgement.story ? { story: { state: judgement.story, version: state.story?.version ?? 0 } } : {}),
  };
  const conflict = await ports.ledger.commit(commit);
  const done: Verdict = {
    kind: 'accepted',
    message,
    tolerated: judgement.tolerated,
  };
  return conflict ?? settle(deliverCommitted(ports, submission, commit), done);
};

/** A pause of random length, so that writers who collided do not collide again. */
const pause = ({ clock, ids }: PublishPorts, round: number): Promise<void> => {
  const [random = 0] = ids.random(1);
  const most = Math.min(limits.deliveryPollMilliseconds * 2 ** round, 500);
  return clock.sleep((most * random) / 255);
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
    const owner = Buffer.from(ports.ids.random(ownerBytes)).toString('base64url');
    const deadline = ports.clock.now() + limits.publishBudgetMilliseconds;
    const submission = { message, body, connection, owner, deadline };
    for (let round = 1, lostToStory = 0; ; round += 1) {
      const result = await attempt(ports, submission);
      if ('kind' in result) return result;
      lostToStory += result.story ? 1 : 0;
      if (lostToStory >= limits.storyContentionRounds) return { ...refuse('commit.contention'), message };
      if (ports.clock.now() >= deadline) return { ...refuse('registry.unavailable'), message };
      await pause(ports, round);
    }
  };

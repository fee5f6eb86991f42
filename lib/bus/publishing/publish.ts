import type { Connection } from '../../access/registry/connection.ts';
import type { Registry } from '../../access/registry/registry.ts';
import { limits } from '../../contract/limits.ts';
import { defined, type Ids, randomName } from '../../contract/outside.ts';
import { refuse, refused, type Violation } from '../../contract/refusals.ts';
import type { Message } from '../../som/messages/read-message.ts';
import {
  type DeliveryError,
  type DeliveryPorts,
  deliver,
  deliveryError,
  leasedLog,
  type Pending,
  type Waiter,
} from '../delivery/deliver.ts';
import {
  type AcceptedId,
  type Commit,
  type CommitConflict,
  type Entry,
  type Head,
  isFree,
  type Ledger,
  newLease,
} from '../delivery/log.ts';
import {
  type Audience,
  type AudienceOfRun,
  type Consultation,
  consult,
  examine,
  guestReadersOf,
  type RefusedVerdict,
  refusedVerdict,
  targetsOf,
  type Verdict,
} from './verdict.ts';

/** Its owner is this publish, as the holder of a lease and as the committer. */
interface Submission extends Waiter {
  readonly message: Message;
  readonly connection: Connection;
  readonly options: PublishOptions;
}

interface PublishOptions {
  /** Who gets the message instead of everybody. */
  readonly audienceOf?: Audience;
  readonly traceparent?: string | undefined;
}

type Addressed = Pick<Entry, 'targets' | 'isOfRun'>;

/**
 * The entry that a message becomes, after the last one of its correlation. Times never go back
 * within a correlation: the archive is sorted by time and must keep the log's order even if clocks
 * differ.
 */
const entryOf = (
  { message, connection, options: { traceparent } }: Submission,
  head: Head,
  { now, targets, isOfRun }: Addressed & { now: number },
): Entry =>
  defined({
    workspace: connection.workspace,
    correlationId: message.correlationId,
    number: head.last + 1,
    messageId: message.messageId,
    messageType: message.messageType,
    systemId: message.systemId,
    producer: connection.id,
    acceptedAt: Math.max(now, head.lastAcceptedAt ?? 0),
    targets,
    isOfRun,
    traceparent,
    body: message.body,
  });

type Acceptable = Extract<Consultation['judgement'], { kind: 'accept' }>;

/**
 * All that the message writes if the ledger is still as it was read. It also takes the lease, if
 * that is free.
 */
const commitOf = (
  submission: Submission,
  { head, story }: Consultation['state'],
  facts: Addressed & {
    judgement: Acceptable;
    now: number;
    consumers: readonly Connection[];
  },
): Commit => {
  const { message, connection, owner } = submission;
  const { judgement, now, consumers } = facts;
  const entry = entryOf(submission, head, facts);

  const nextStory = judgement.story && {
    state: judgement.story,
    version: story?.version ?? 0,
    guestReaders: guestReadersOf(connection, consumers, entry),
    startedOverAt: story?.startedOverAt,
  };

  return defined({
    entry,
    bodyHash: message.bodyHash,
    attempt: owner,
    head,
    lease: isFree(head.lease, now) ? newLease(owner, now) : undefined,
    story: nextStory && defined(nextStory),
  });
};

export interface PublishPorts extends DeliveryPorts {
  readonly registry: DeliveryPorts['registry'] & Pick<Registry, 'consumersOf'>;
  readonly ids: Ids;
  readonly ledger: Ledger;
}

/** The log number that a commit tried to give the message, and what would be tolerated there. */
interface Attempt {
  readonly number: number;
  readonly tolerated: readonly Violation[];
  readonly copies: number;
}

/**
 * The message is in the ledger, by this publish or an earlier one; `verdict` holds once it is in
 * every queue.
 */
interface Placed extends Pending {
  readonly kind: 'placed';
  readonly verdict: Verdict;
}

/**
 * A round that decided nothing. After `unknown`, it is not known whether the commit happened, or
 * will.
 */
type Undecided =
  | { readonly kind: 'late' }
  | { readonly kind: 'conflict'; readonly conflict: CommitConflict; readonly attempt: Attempt }
  | { readonly kind: 'unknown'; readonly error: DeliveryError; readonly attempt?: Attempt };

interface Rounds {
  /** An earlier write may have put the message into the ledger, or may do so later. */
  readonly mayBeCommitted: boolean;
  readonly storyConflicts: number;
  readonly attempts: readonly Attempt[];
  readonly error: DeliveryError | undefined;
}

const noRounds: Rounds = {
  mayBeCommitted: false,
  storyConflicts: 0,
  attempts: [],
  error: undefined,
};

const afterRound = (rounds: Rounds, result: Undecided): Rounds => {
  if (result.kind === 'late') return rounds;

  const attempts = result.attempt ? [...rounds.attempts, result.attempt] : rounds.attempts;
  if (result.kind === 'unknown')
    return { ...rounds, mayBeCommitted: true, attempts, error: result.error };

  const { id, story } = result.conflict;
  return {
    ...rounds,
    // If the id is taken, a retry of this same write may have taken it.
    mayBeCommitted: rounds.mayBeCommitted || id,
    storyConflicts: rounds.storyConflicts + (story ? 1 : 0),
    attempts,
  };
};

/**
 * A message that was in the ledger before this round: of an earlier publish, or of an earlier round
 * whose response was lost.
 */
const placedBefore = (
  { message, connection, owner }: Submission,
  { attempts }: Rounds,
  { accepted, published }: { accepted: AcceptedId; published: number },
): Placed => {
  const position = { workspace: connection.workspace, ...accepted };
  const placed = { kind: 'placed', position, published, leased: undefined } as const;
  if (accepted.attempt !== owner) return { ...placed, verdict: { kind: 'duplicate', message } };

  // The attempt that committed it knows what was tolerated, and for how many consumers it is.
  const ours = attempts.findLast(({ number }) => number === accepted.number);
  const { tolerated = message.tolerated, copies = 0 } = ours ?? {};
  return { ...placed, verdict: { kind: 'accepted', message, tolerated, copies } };
};

/** A message that this round has put into the ledger, perhaps together with the log's lease. */
const placedBy = ({ entry, head, lease }: Commit, verdict: Verdict): Placed => ({
  kind: 'placed',
  position: entry,
  published: head.published,
  leased: lease && { ...leasedLog(head, lease, entry.acceptedAt), inHand: entry },
  verdict,
});

/** Tries once to commit a message that is acceptable by what was read. */
const commitOnce = async (
  ports: PublishPorts,
  submission: Submission,
  read: {
    state: Consultation['state'];
    judgement: Acceptable;
    consumers: readonly Connection[];
    audience: AudienceOfRun | undefined;
  },
): Promise<Placed | Undecided> => {
  const { message, deadline } = submission;
  const { state, judgement, consumers, audience } = read;
  const now = ports.clock.now();
  // A commit that starts now could outlast the function.
  if (now >= deadline) return { kind: 'late' };

  const targets = targetsOf(consumers, message, audience?.consumer);
  const addressed: Addressed = audience ? { targets, isOfRun: true } : { targets };
  const commit = commitOf(submission, state, { ...addressed, judgement, consumers, now });

  const { tolerated } = judgement;
  const copies = targets.length;
  const attempt = { number: commit.entry.number, tolerated, copies };

  try {
    const conflict = await ports.ledger.commit(commit);
    if (conflict) return { kind: 'conflict', conflict, attempt };
    return placedBy(commit, { kind: 'accepted', message, tolerated, copies });
  } catch (error) {
    return { kind: 'unknown', error: deliveryError(error), attempt };
  }
};

/**
 * One round: reads the ledger, decides and, if the message is acceptable, tries once to commit it.
 */
const decideOnce = async (
  ports: PublishPorts,
  submission: Submission,
  rounds: Rounds,
): Promise<RefusedVerdict | Placed | Undecided> => {
  const { message, connection, options } = submission;
  // The consumers are read again, together with the ledger: one that was created a second ago gets
  // this message.
  const [{ state, judgement }, consumers, audience] = await Promise.all([
    consult(ports.ledger, connection, message),
    ports.registry.consumersOf(connection.workspace),
    options.audienceOf?.(message),
  ]);
  if (judgement.kind === 'refuse') return refusedVerdict(refused(...judgement.violations), message);
  if (judgement.kind === 'duplicate') {
    const { accepted } = judgement;
    return placedBefore(submission, rounds, { accepted, published: state.head.published });
  }
  if (audience?.kind === 'refused') return refusedVerdict(audience, message);
  return commitOnce(ports, submission, { state, judgement, consumers, audience });
};

/** A pause of random length, so that writers that collided do not collide again. */
const pause = ({ clock, ids }: PublishPorts, round: number): Promise<void> => {
  const longest = Math.min(limits.deliveryPollMilliseconds * 2 ** round, 500);
  const [randomByte = 0] = ids.random(1);
  return clock.sleep((longest * randomByte) / 255);
};

/**
 * The refusal with which a publish gives up after these rounds; undefined while it may continue.
 */
const giveUp = (
  { mayBeCommitted, storyConflicts, error }: Rounds,
  { message, deadline }: Submission,
  now: number,
) => {
  if (!mayBeCommitted && storyConflicts >= limits.storyContentionRounds)
    return refusedVerdict(refuse('commit.contention'), message);
  if (now < deadline) return undefined;
  if (mayBeCommitted) return refusedVerdict(refuse('bus.publish_failed'), message, error);
  return refusedVerdict(refuse('registry.unavailable'), message);
};

/**
 * Decides and commits a message in rounds, each with a fresh read. After a commit whose outcome is
 * not known, the next round finds the message in the ledger or commits it itself. Until then, no
 * response may say that nothing was accepted.
 */
const decide = async (
  ports: PublishPorts,
  submission: Submission,
): Promise<RefusedVerdict | (Placed & Pick<Rounds, 'error'>)> => {
  let rounds = noRounds;
  for (let round = 1; ; round += 1) {
    const result = await decideOnce(ports, submission, rounds).catch(
      (error: unknown): Undecided => {
        if (!rounds.mayBeCommitted) throw error;
        return { kind: 'unknown', error: deliveryError(error) };
      },
    );
    if (result.kind === 'refused') return result;
    if (result.kind === 'placed') return { ...result, error: rounds.error };

    rounds = afterRound(rounds, result);
    const refusal = giveUp(rounds, submission, ports.clock.now());
    if (refusal) return refusal;
    await pause(ports, round);
  }
};

/**
 * Decides a message, commits it once and puts it into the queue of every consumer that receives it.
 * If the registry or the ledger fails, it throws: in that case, nothing was accepted.
 */
export const publish = (ports: PublishPorts) =>
  async function publish(
    body: Uint8Array,
    connection: Connection,
    options: PublishOptions = {},
  ): Promise<Verdict> {
    const examined = examine(body, connection);
    if (examined.kind === 'refused') return examined;

    const { message } = examined;
    const owner = randomName(ports.ids);
    const deadline = ports.clock.now() + limits.publishBudgetMilliseconds;
    const decision = await decide(ports, { message, connection, owner, deadline, options });
    if (decision.kind === 'refused') return decision;

    const { verdict } = decision;
    const delivery = await deliver(ports, decision, { owner, deadline });
    if (delivery.delivered) return verdict;

    const error = delivery.error ?? decision.error;
    const refusal = refusedVerdict(refuse('bus.publish_failed'), message, error);
    if (verdict.kind === 'accepted') return { ...refusal, committedCopies: verdict.copies ?? 0 };
    return refusal;
  };

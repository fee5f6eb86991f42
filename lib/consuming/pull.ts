import { limits } from '../contract/limits.ts';
import { type Clock, type Ids, randomName } from '../contract/outside.ts';
import type { Connection } from '../registry/connection.ts';
import {
  type Inbox,
  memberReceipt,
  type ReceiptGroup,
  type Receipts,
  type Received,
  type ReceiveOptions,
  singleReceipt,
} from './receipts.ts';

/** A poll of a connection that may wait. */
export interface WaitingPoll {
  readonly connection: string;
  readonly place: number;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** The polls that wait at the same time: at most `limits.waitingPolls` of one connection. */
export interface WaitingPolls {
  /**
   * Lets one more poll wait; undefined if enough of them do. A poll counts until it is ended or its time is over, so that one
   * whose function dies does not count for ever.
   */
  begin(connection: string, until: number): Promise<WaitingPoll | undefined>;
  end(poll: WaitingPoll): Promise<void>;
}

/** What a pull needs from outside. */
export interface ReceiptPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly inbox: Pick<Inbox, 'receive' | 'delete' | 'release'>;
  readonly receipts: Pick<Receipts, 'save'>;
  readonly polls: WaitingPolls;
}

/** What one pull returns of one correlation_id: a group only for several messages, or for a handle that is too long for a receipt. */
interface Handout {
  readonly group?: ReceiptGroup;
  /** Maps the queue's receipt handles to the bus's. */
  readonly names: ReadonlyMap<string, string>;
}

/** Epoch milliseconds: when a pull began, and when its messages become visible again. */
type Times = Pick<ReceiptGroup, 'takenAt' | 'until'>;

const handout = (ports: ReceiptPorts, received: readonly Received[], times: Times): Handout => {
  const handles = received.map(({ receiptHandle }) => receiptHandle);
  const [only = '', ...more] = handles;
  const single = singleReceipt({ handle: only, takenAt: times.takenAt });
  if (more.length === 0 && single.length <= limits.receiptHandleCharacters)
    return { names: new Map([[only, single]]) };
  const id = randomName(ports.ids);
  const names = new Map(handles.map((handle, position) => [handle, memberReceipt(id, position)]));
  return { group: { id, handles, ...times }, names };
};

const byCorrelation = (received: readonly Received[]): readonly (readonly Received[])[] => {
  const found = new Map<string, Received[]>();
  for (const message of received) {
    const others = found.get(message.correlationId);
    if (others) others.push(message);
    else found.set(message.correlationId, [message]);
  }
  return [...found.values()];
};

/** Receives messages: waits for them only if not too many polls of the connection wait already. */
const receive = async (
  { clock, ids, inbox, polls }: ReceiptPorts,
  { id, queue }: Pick<Connection, 'id'> & { readonly queue: string },
  options: ReceiveOptions,
): Promise<readonly Received[]> => {
  const attempt = randomName(ids);
  if (options.waitSeconds === 0) return inbox.receive(queue, options, attempt);
  const poll = await polls.begin(id, clock.now() + options.waitSeconds * 1000);
  if (!poll) return inbox.receive(queue, { ...options, waitSeconds: 0 }, attempt);
  try {
    return await inbox.receive(queue, options, attempt);
  } finally {
    // A poll that waited for its whole time has ended by itself, and so will one that cannot be ended now.
    if (clock.now() < poll.until) await polls.end(poll).catch(() => undefined);
  }
};

/** Deletes the messages that the consumer skips, and returns the others. */
const withoutSkipped = async (
  { inbox }: ReceiptPorts,
  { queue, skips = [] }: Pick<Connection, 'skips'> & { readonly queue: string },
  received: readonly Received[],
): Promise<readonly Received[]> => {
  const isSkipped = ({ messageId }: Received) => skips.some(skip => skip.messageId === messageId);
  const skipped = received.filter(isSkipped);
  if (skipped.length === 0) return received;
  const handles = skipped.map(({ receiptHandle }) => receiptHandle);
  // What cannot be deleted now becomes visible again, and is skipped then.
  await inbox.delete(queue, handles).catch(() => undefined);
  return received.filter(message => !isSkipped(message));
};

/**
 * Takes the next messages of a consumer's queue, in order; each stays invisible for `visibilitySeconds`. The receipts of messages
 * with the same correlation_id form a group: releasing one message also releases the later ones. If the client is gone, or the
 * receipts cannot be saved, the messages are returned to the queue: this pull delivers none, the next one may.
 */
export const pull = (ports: ReceiptPorts) =>
  async function pull(
    { id, queue, skips = [] }: Connection,
    options: ReceiveOptions,
  ): Promise<readonly Received[]> {
    if (queue === undefined) return [];
    const takenAt = ports.clock.now();
    const all = await receive(ports, { id, queue }, options);
    const received = await withoutSkipped(ports, { queue, skips }, all);
    const giveBack = () =>
      ports.inbox.release(queue, received.map(({ receiptHandle }) => receiptHandle).reverse(), 0);
    const times = { takenAt, until: ports.clock.now() + options.visibilitySeconds * 1000 };
    const handouts = byCorrelation(received).map(messages => handout(ports, messages, times));
    const groups = handouts.flatMap(({ group }) => group ?? []);
    try {
      if (groups.length > 0) await ports.receipts.save(id, groups);
    } catch (fault) {
      await giveBack().catch(() => undefined);
      throw fault;
    }
    if (options.gone?.aborted && received.length > 0) {
      await giveBack();
      return [];
    }
    const names = new Map(handouts.flatMap(one => [...one.names]));
    return received.map(message => ({
      ...message,
      receiptHandle: names.get(message.receiptHandle) ?? message.receiptHandle,
    }));
  };

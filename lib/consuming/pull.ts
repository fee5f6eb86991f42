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

/** What a pull needs from outside. */
export interface ReceiptPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly inbox: Pick<Inbox, 'receive' | 'release'>;
  readonly receipts: Pick<Receipts, 'save'>;
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

/**
 * Takes the next messages of a consumer's queue, in order; each stays invisible for `visibilitySeconds`. The receipts of messages
 * with the same correlation_id form a group: releasing one message also releases the later ones. If the client is gone, or the
 * receipts cannot be saved, the messages are returned to the queue: this pull delivers none, the next one may.
 */
export const pull = (ports: ReceiptPorts) =>
  async function pull({ id, queue }: Connection, options: ReceiveOptions): Promise<readonly Received[]> {
    if (queue === undefined) return [];
    const takenAt = ports.clock.now();
    const received = await ports.inbox.receive(queue, options, randomName(ports.ids));
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

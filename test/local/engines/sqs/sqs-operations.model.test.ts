import fc from 'fast-check';
import { listInput, objectInput, textInput } from '../../../../lib/local/engines/aws-json/input.ts';
import type { JsonObject } from '../../../../lib/platform/json/value.ts';
import { refusalOf, sqsScene } from '../support/sqs-scene.ts';

/*
 * Random calls against the real operations and against a list that is searched from front to back.
 * The list knows nothing of locks, readiness or tables: it says for each message whether it may be
 * seen, from first principles.
 */

const retentionMilliseconds = 600_000;
const deduplicationMilliseconds = 300_000;

interface Expected {
  readonly group: string;
  readonly id: string;
  readonly body: string;
  readonly sentAt: number;
  receives: number;
  hiddenUntil: number;
  handle?: string;
}

type Step =
  | { readonly do: 'send'; readonly group: string; readonly deduplicationId: string }
  | { readonly do: 'receive'; readonly max: number; readonly visibility: number }
  | { readonly do: 'delete'; readonly which: number }
  | { readonly do: 'hide'; readonly which: number; readonly seconds: number }
  | { readonly do: 'wait'; readonly seconds: number }
  | { readonly do: 'restart' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      group: fc.constantFrom('a', 'b', 'c'),
      deduplicationId: fc.integer({ min: 0, max: 30 }).map(String),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('receive' as const),
      max: fc.integer({ min: 1, max: 10 }),
      visibility: fc.constantFrom(0, 1, 30, 400),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('delete' as const), which: fc.nat(9) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('hide' as const),
      which: fc.nat(9),
      seconds: fc.constantFrom(0, 0, 20, 200),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      seconds: fc.constantFrom(1, 29, 30, 299, 301),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

class Bench {
  readonly perGroup: boolean;
  readonly #scene: ReturnType<typeof sqsScene>;
  #sent = 0;
  messages: Expected[] = [];
  readonly seen = new Map<string, { at: number; id: string }>();
  /** Every handle given out, the newest first. */
  readonly handles: { handle: string; message: Expected }[] = [];

  constructor(perGroup: boolean) {
    this.perGroup = perGroup;
    this.#scene = sqsScene({
      DeduplicationScope: this.perGroup ? 'messageGroup' : 'queue',
      MessageRetentionPeriod: String(retentionMilliseconds / 1000),
    });
  }

  async call(operation: string, input: JsonObject): Promise<JsonObject> {
    return (await this.#scene.call(operation, input)) ?? {};
  }

  async run(next: Step): Promise<void> {
    const now = this.#scene.clock.now();
    this.messages = this.messages.filter(({ sentAt }) => sentAt + retentionMilliseconds > now);
    if (next.do === 'send') await this.#send(next.group, next.deduplicationId);
    if (next.do === 'receive') await this.#receive(next.max, next.visibility);
    if (next.do === 'delete') await this.#delete(next.which);
    if (next.do === 'hide') await this.#hide(next.which, next.seconds);
    if (next.do === 'wait') this.#scene.clock.advance(next.seconds * 1000);
    if (next.do === 'restart') this.#scene.restart();
  }

  async #send(group: string, deduplicationId: string): Promise<void> {
    const now = this.#scene.clock.now();
    this.#sent += 1;
    const body = `body ${this.#sent}`;
    const ids = { MessageGroupId: group, MessageDeduplicationId: deduplicationId };
    const { MessageId } = await this.call('SendMessage', { MessageBody: body, ...ids });
    const key = this.perGroup ? `${group} ${deduplicationId}` : deduplicationId;
    const first = this.seen.get(key);
    if (first !== undefined && first.at + deduplicationMilliseconds > now) {
      expect(MessageId).toBe(first.id);
      return;
    }
    const id = String(MessageId);
    expect([...this.seen.values()].map(seen => seen.id)).not.toContain(id);
    this.seen.set(key, { at: now, id });
    this.messages.push({ group, id, body, sentAt: now, receives: 0, hiddenUntil: 0 });
  }

  /** What a receive may draw from: groups with nothing in flight. */
  #available(): Expected[] {
    const now = this.#scene.clock.now();
    const locked = new Set(
      this.messages.filter(({ hiddenUntil }) => hiddenUntil > now).map(({ group }) => group),
    );
    return this.messages.filter(({ group }) => !locked.has(group));
  }

  async #receive(max: number, visibility: number): Promise<void> {
    const now = this.#scene.clock.now();
    const input = {
      MaxNumberOfMessages: max,
      VisibilityTimeout: visibility,
      AttributeNames: ['All'],
    };
    const response = await this.call('ReceiveMessage', input);
    const available = this.#available();
    const received = (listInput(response, 'Messages') ?? []).map(item =>
      objectInput(item, 'a message'),
    );
    const ids = received.map(message => textInput(message, 'MessageId'));
    // Nothing is invented, repeated or withheld ...
    expect(ids).toHaveLength(Math.min(max, available.length));
    // ... and of each group come its first messages, in order.
    for (const group of ['a', 'b', 'c']) {
      const ofGroup = available.filter(message => message.group === group).map(({ id }) => id);
      const got = ids.filter(id => ofGroup.includes(id ?? ''));
      expect(got).toEqual(ofGroup.slice(0, got.length));
    }
    for (const message of received) {
      const expected = available.find(({ id }) => id === textInput(message, 'MessageId'));
      if (expected === undefined) throw new Error('received what is not there');
      expected.receives += 1;
      expected.hiddenUntil = now + visibility * 1000;
      expected.handle = String(message['ReceiptHandle']);
      const Attributes = {
        ApproximateReceiveCount: String(expected.receives),
        MessageGroupId: expected.group,
      };
      expect(message).toMatchObject({ Body: expected.body, Attributes });
      this.handles.unshift({ handle: expected.handle, message: expected });
    }
  }

  #handed(which: number) {
    return this.handles[which];
  }

  #isCurrent({ handle, message }: { handle: string; message: Expected }): boolean {
    return message.handle === handle && message.hiddenUntil > this.#scene.clock.now();
  }

  async #delete(which: number): Promise<void> {
    const handed = this.#handed(which);
    if (handed === undefined) return;
    const isThere = this.messages.includes(handed.message);
    const expected =
      !isThere || this.#isCurrent(handed) ? undefined : 'InvalidParameterValueException';
    expect(
      refusalOf(() => this.#scene.call('DeleteMessage', { ReceiptHandle: handed.handle })),
    ).toBe(expected);
    if (expected === undefined)
      this.messages = this.messages.filter(message => message !== handed.message);
  }

  async #hide(which: number, seconds: number): Promise<void> {
    const handed = this.#handed(which);
    if (handed === undefined) return;
    const isDone = this.messages.includes(handed.message) && this.#isCurrent(handed);
    const input = { ReceiptHandle: handed.handle, VisibilityTimeout: seconds };
    const expected = isDone ? undefined : 'InvalidParameterValueException';
    expect(refusalOf(() => this.#scene.call('ChangeMessageVisibility', input))).toBe(expected);
    if (isDone) handed.message.hiddenUntil = this.#scene.clock.now() + seconds * 1000;
  }

  async checkCounts(): Promise<void> {
    const now = this.#scene.clock.now();
    const kept = this.messages.filter(({ sentAt }) => sentAt + retentionMilliseconds > now);
    const inFlight = kept.filter(({ hiddenUntil }) => hiddenUntil > now).length;
    const { Attributes } = await this.call('GetQueueAttributes', { AttributeNames: ['All'] });
    expect(Attributes).toMatchObject({
      ApproximateNumberOfMessages: String(kept.length - inFlight),
      ApproximateNumberOfMessagesNotVisible: String(inFlight),
    });
  }
}

test.each([
  ['the queue', false],
  ['each group', true],
])(
  'order, deduplication by %s and visibility are those of a list searched naively',
  async (_, perGroup) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), async steps => {
        const bench = new Bench(perGroup);
        for (const next of steps) {
          await bench.run(next);
          await bench.checkCounts();
        }
      }),
      { numRuns: 75 },
    );
  },
);

import {
  type Acknowledged,
  compareDeliveries,
  compareLedger,
  type Event,
  type Ledger,
} from './compare.ts';

const ledger: Ledger = new Map([
  ['story', ['a', 'b', 'c']],
  ['other', ['x']],
]);

/** Published one after the other: each began after the one before was acknowledged. */
const acknowledged: Acknowledged = new Map(
  ['a', 'b', 'c', 'x'].map((messageId, index) => [
    messageId,
    {
      messageId,
      correlationId: 'any',
      text: messageId,
      began: index * 10,
      ended: index * 10 + 5,
      sequenceNumber: index,
    },
  ]),
);

const event = (text: string): Event => {
  const [kind = '', messageId = '', body = messageId] = text.split(' ');
  if (kind === 'got') return { kind, messageId, isSame: sent => sent === body };
  return { kind: kind === 'acked' ? 'acked' : 'unsure', messageId };
};

const deliveries = (...events: readonly string[]) =>
  compareDeliveries(ledger, acknowledged, events.map(event));

test('no faults are counted for a consumer that gets everything once and in order', () => {
  const result = deliveries(
    'got a',
    'got b',
    'acked a',
    'got x',
    'acked b',
    'got c',
    'acked c',
    'acked x',
  );
  expect(result).toEqual({
    lost: 0,
    outOfOrder: 0,
    changed: 0,
    delivered: 4,
    repeated: 0,
    afterAck: 0,
  });
});

test.each([
  ['after a nack of the end', ['got a', 'got b', 'acked a', 'got b', 'got c', 'got x']],
  [
    'after an ack whose response was cut',
    ['got a', 'got b', 'unsure a', 'unsure b', 'got b', 'got c', 'got x'],
  ],
  ['when nothing was acked in time', ['got a', 'got b', 'got a', 'got b', 'got c', 'got x']],
  ['behind one that was acked alone', ['got a', 'got b', 'acked b', 'got a', 'got c', 'got x']],
])('a story may go back: %s', (_when, events) => {
  expect(deliveries(...events)).toMatchObject({ lost: 0, outOfOrder: 0 });
});

test.each([
  ['two are swapped', ['got b', 'got a', 'got c', 'got x']],
  ['one is left out', ['got a', 'got c', 'got b', 'got x']],
  ['one goes back alone and others go on', ['got a', 'got b', 'got a', 'got c', 'got x']],
  ['one comes back before one that was not acked', ['got a', 'got b', 'got b', 'got c', 'got x']],
])('a delivery is out of order where %s', (_when, events) => {
  expect(deliveries(...events).outOfOrder).toBeGreaterThan(0);
});

test('a message that is missing, changed, or redelivered after its ack is counted', () => {
  expect(deliveries('got a', 'acked a', 'got a', 'got b B')).toEqual({
    lost: 2,
    outOfOrder: 0,
    changed: 1,
    delivered: 3,
    repeated: 1,
    afterAck: 1,
  });
});

test('a message that is not in the ledger is out of order', () => {
  expect(deliveries('got a', 'got z z')).toMatchObject({ outOfOrder: 1, changed: 1 });
});

test('no faults are counted for a ledger that has everything acknowledged, in order', () => {
  expect(compareLedger(ledger, acknowledged)).toEqual({
    lost: 0,
    outOfOrder: 0,
    committedTwice: 0,
    keptThoughRefused: 0,
  });
});

test.each<[string, readonly string[], object]>([
  ['lost', ['a', 'b'], { lost: 1 }],
  ['committed twice', ['a', 'b', 'b', 'c'], { committedTwice: 1 }],
  ['kept though refused', ['a', 'b', 'r', 'c'], { keptThoughRefused: 1 }],
  ['before one that had been acknowledged', ['a', 'c', 'b'], { outOfOrder: 1 }],
])('an entry that is %s is counted', (_what, story, expected) => {
  expect(compareLedger(new Map([...ledger, ['story', story]]), acknowledged)).toMatchObject(
    expected,
  );
});

test('snapshots that overlap in time are out of order when their numbers do not increase', () => {
  const together = new Map([...acknowledged].map(([id, one]) => [id, { ...one, began: 0 }]));
  expect(compareLedger(new Map([...ledger, ['story', ['a', 'c', 'b']]]), together).outOfOrder).toBe(
    1,
  );
});

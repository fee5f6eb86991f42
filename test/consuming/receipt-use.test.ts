import {
  acknowledging,
  memberReceipt,
  namedReceipts,
  type ReceiptGroup,
  returnedSingle,
  returning,
  singleReceipt,
  type UseOf,
} from '../../lib/consuming/receipts.ts';

const group: ReceiptGroup = {
  id: 'abcdefghijklmnop',
  handles: ['h0', 'h1', 'h2', 'h3'],
  takenAt: 0,
  until: 1_000,
};

/** The rule or the handle of each place of a group, and of one place that it does not have. */
const uses = (useOf: UseOf, state: Partial<ReceiptGroup>) => {
  const texts = [0, 1, 2, 3, 4].map(position => memberReceipt(group.id, position));
  return namedReceipts(texts).map(({ receipt }) => {
    const use = receipt && useOf(receipt, { ...group, ...state });
    return use && ('rule' in use ? use.rule : use.handle);
  });
};
const expired = 'receipt.expired';
const blocked = 'order.blocked';

describe('an ack', () => {
  test.each([
    ['nothing happened', {}, ['h0', 'h1', 'h2', 'h3', expired]],
    ['an ack: it can be repeated', { acknowledged: [1] }, ['h0', 'h1', 'h2', 'h3', expired]],
    [
      'an ack and a nack',
      { acknowledged: [1, 3], blockedFrom: 0, returned: [0] },
      [expired, 'h1', blocked, 'h3', expired],
    ],
    [
      'a nack of two messages',
      { blockedFrom: 1, returned: [1, 2] },
      ['h0', expired, expired, blocked, expired],
    ],
    ['a nack that did not finish', { blockedFrom: 1 }, ['h0', expired, blocked, blocked, expired]],
  ])('after %s', (_what, state, expected) => {
    expect(uses(acknowledging, state)).toEqual(expected);
  });
});

describe('a nack', () => {
  test.each([
    ['nothing happened', {}, ['h0', 'h1', 'h2', 'h3', expired]],
    ['an ack', { acknowledged: [1] }, ['h0', expired, 'h2', 'h3', expired]],
    ['a nack', { blockedFrom: 1, returned: [1] }, ['h0', expired, blocked, blocked, expired]],
    ['a nack that did not finish', { blockedFrom: 1 }, ['h0', 'h1', 'h2', 'h3', expired]],
    ['the end of the invisibility', { until: 500 }, [expired, expired, expired, expired, expired]],
  ])('after %s', (_what, state, expected) => {
    expect(uses(returning(500), state)).toEqual(expected);
  });
});

test('receipt.expired answers a single message that was returned, whatever is asked', () => {
  const taken = { handle: 'h', takenAt: 0 };
  const [{ receipt } = { receipt: undefined }] = namedReceipts([singleReceipt(taken)]);
  for (const useOf of [acknowledging, returning(500)]) {
    expect(receipt && useOf(receipt, undefined)).toEqual({ handle: 'h' });
    expect(receipt && useOf(receipt, returnedSingle(taken))).toEqual({ rule: expired });
  }
});

import {
  acknowledging,
  memberReceipt,
  type ReceiptGroup,
  readReceipt,
  readReceiveFacts,
  receiveFacts,
  returnedSingle,
  returning,
  singleGroup,
  singleReceipt,
} from '../../../lib/bus/consuming/receipts.ts';
import { releaseDelay } from '../../../lib/bus/consuming/settle.ts';
import { sealer } from '../../support/fakes/seals.ts';

const group = 'abcdefghijklmnop';

const by = { sealer, connection: 'cbbbbbbbbbbbb' };

const receive = {
  messageId: 'm1',
  messageType: 'link.committed',
  correlationId: 'k1',
  pull: 'pull-1',
  receiveCount: 2,
  acceptedAt: 995,
  takenAt: 1_001,
  visibleAt: 1_009,
};

test.each([
  ['without a receive', { handle: 'h.1', takenAt: 35 }],
  ['with a handle as SQS makes them', { handle: 'AQEB/+=', takenAt: 35 }],
  ['with a receive', { handle: 'h1', takenAt: 1_000, receive }],
  [
    'with a receive of a replay',
    { handle: 'h1', takenAt: 1_000, receive: { ...receive, replay: 'y1' } },
  ],
])('a single receipt %s is written, tells nothing, and is read', (_what, taken) => {
  const text = singleReceipt(by, taken);
  expect(text).toMatch(/^s\.[\w-]+\./);
  expect(text.endsWith(`.${taken.handle}`)).toBe(true);
  expect(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString()).not.toContain(
    'link.committed',
  );
  expect(readReceipt(by, text)).toEqual({ kind: 'single', ...taken });
});

test.each([0, 9])('the receipt of place %i of a group is written and read', position => {
  const text = memberReceipt(group, position);
  expect(text).toBe(`g.${group}.${position}`);
  expect(readReceipt(by, text)).toEqual({ kind: 'member', group, position });
});

test.each([
  ...['', 's', 's.', 's..h', 's.z.', 's.AQEB', 's.Z.h', 's.0123456789.h', 'AQEB', 'g.short.0'],
  ...[`g.${group}.10`, `g.${group}.`, 'g.abcdefghijklmno#.1', `xg.${group}.1`],
  `s.z.${Buffer.from('["m1","link.committed","k1","p",1,5,1,9]').toString('base64url')}.h1`,
])('%j was never a receipt', text => {
  expect(readReceipt(by, text)).toBeUndefined();
});

describe('the facts of a receive', () => {
  const facts = ['m1', 'link.committed', 'k1', 'pull-1', 2, 5, 1, 9];

  test('are its names, and its numbers from the time in its receipt on', () => {
    expect(receiveFacts(receive, 1_000)).toEqual(facts);
    expect(receiveFacts({ ...receive, replay: 'y1' }, 1_000)).toEqual([...facts, 'y1']);
  });

  test.each([
    ['are read', facts, receive],
    ['are read with their replay', [...facts, 'y1'], { ...receive, replay: 'y1' }],
  ])('%s', (_what, stored, expected) => {
    expect(readReceiveFacts(stored, 1_000)).toEqual(expected);
  });

  test.each<[string, unknown]>([
    ['nothing at all', undefined],
    ['a text', 'm1,link.committed'],
    ['an empty list', []],
    ['three names', facts.slice(0, 3)],
    ['no numbers', facts.slice(0, 4)],
    ['three numbers', facts.slice(0, 7)],
    ['an empty name', ['', ...facts.slice(1)]],
    ['a number for a name', [1, ...facts.slice(1)]],
    ['a number for the last name', [...facts.slice(0, 3), 1, ...facts.slice(4)]],
    ['a text for a number', [...facts.slice(0, 4), '2', ...facts.slice(5)]],
    ['a text for the last number', [...facts.slice(0, 7), '9']],
    ['an empty replay', [...facts, '']],
    ['a number for a replay', [...facts, 1]],
  ])('are not %s', (_what, stored) => {
    expect(readReceiveFacts(stored, 1_000)).toBeUndefined();
  });
});

test('what is sealed in a single receipt is when it was taken, and the facts of its receive', () => {
  const sealedIn = (text: string) =>
    sealer.open({ purpose: 'receipt', of: [by.connection, 'h1'] }, text.split('.')[1] ?? '');
  expect(sealedIn(singleReceipt(by, { handle: 'h1', takenAt: 35 }))).toBe('[35]');
  expect(sealedIn(singleReceipt(by, { handle: 'h1', takenAt: 1_000, receive }))).toBe(
    '[1000,"m1","link.committed","k1","pull-1",2,5,1,9]',
  );
});

describe('a receipt is refused', () => {
  const text = singleReceipt(by, { handle: 'h1', takenAt: 1_000, receive });
  const [, sealed = ''] = text.split('.');

  test('at any other connection', () => {
    expect(readReceipt({ ...by, connection: 'caaaaaaaaaaaa' }, text)).toBeUndefined();
  });

  test('with the queue handle of another message', () => {
    expect(readReceipt(by, `s.${sealed}.h2`)).toBeUndefined();
  });

  test('if its facts were sealed as anything else, such as a position', () => {
    const position = sealer.seal({ purpose: 'position', of: [by.connection, 'h1'] }, '[1000]');
    const receipt = sealer.seal({ purpose: 'receipt', of: [by.connection, 'h1'] }, '[1000]');
    expect(readReceipt(by, `s.${position}.h1`)).toBeUndefined();
    expect(readReceipt(by, `s.${receipt}.h1`)).toEqual({
      kind: 'single',
      handle: 'h1',
      takenAt: 1_000,
    });
  });

  test('if its facts do not begin with a time', () => {
    const sealed = ['["m1"]', '[]', '{"takenAt":1000}', '1000', 'no JSON'].map(facts =>
      sealer.seal({ purpose: 'receipt', of: [by.connection, 'h1'] }, facts),
    );
    expect(sealed.map(one => readReceipt(by, `s.${one}.h1`))).toEqual(sealed.map(() => undefined));
  });

  test('with a line after it', () => {
    expect(readReceipt(by, `${text}\nh1`)).toBeUndefined();
    expect(readReceipt(by, `x${text}`)).toBeUndefined();
  });

  test('with any character changed, added or left out', () => {
    const variants = [...text].flatMap((character, at) => [
      text.slice(0, at) + (character === 'x' ? 'y' : 'x') + text.slice(at + 1),
      text.slice(0, at) + text.slice(at + 1),
      `${text.slice(0, at)}x${text.slice(at)}`,
    ]);
    expect(variants.length).toBeGreaterThan(300);
    expect(variants.filter(variant => readReceipt(by, variant) !== undefined)).toEqual([]);
  });
});

test('a returned single message is a group of one, blocked and returned, for the twelve hours of its handle', () => {
  expect(returnedSingle({ handle: 'h1', takenAt: 1_000 })).toEqual({
    id: singleGroup('h1'),
    handles: ['h1'],
    blockedFrom: 0,
    returned: [0],
    takenAt: 1_000,
    until: 1_000 + 12 * 3_600_000,
  });
  // The first 16 of what `printf h1 | openssl dgst -sha256 -binary | basenc --base64url` prints.
  expect(singleGroup('h1')).toBe('MxEu4U7kacPrUv6Q');
});

describe('what an ack and a nack make of the places of a group, and of one that it does not have', () => {
  const [expired, blocked] = ['receipt.expired', 'order.blocked'];
  test.each<[string, Partial<ReceiptGroup>, readonly string[], readonly string[]]>([
    ['an ack', { acknowledged: [1] }, ['h0', 'h1', 'h2', expired], ['h0', expired, 'h2', expired]],
    [
      'a nack',
      { blockedFrom: 1, returned: [1] },
      ['h0', expired, blocked, expired],
      ['h0', expired, blocked, expired],
    ],
    [
      'a nack that did not finish',
      { blockedFrom: 1 },
      ['h0', expired, blocked, expired],
      ['h0', 'h1', 'h2', expired],
    ],
    [
      'the end of the invisibility',
      { until: 500 },
      ['h0', 'h1', 'h2', expired],
      [expired, expired, expired, expired],
    ],
    [
      'a nack and the end of the invisibility',
      { blockedFrom: 1, returned: [1], until: 500 },
      ['h0', expired, blocked, expired],
      [expired, expired, blocked, expired],
    ],
  ])('after %s', (_what, state, ofAck, ofNack) => {
    const received = { id: group, handles: ['h0', 'h1', 'h2'], takenAt: 0, until: 501, ...state };
    for (const [useOf, expected] of [
      [acknowledging, ofAck],
      [returning(500), ofNack],
    ] as const) {
      const uses = [0, 1, 2, 3].map(position =>
        useOf({ kind: 'member', group, position }, received),
      );
      expect(uses.map(use => ('rule' in use ? use.rule : use.handle))).toEqual(expected);
    }
  });
});

describe('a receipt may be used for', () => {
  const received = { id: group, handles: ['h0', 'h1', 'h2'], takenAt: 0, until: 501 };
  const first = { kind: 'member', group, position: 0 } as const;
  const second = { kind: 'member', group, position: 1 } as const;
  const alone = { kind: 'single', handle: 'h1', takenAt: 0 } as const;
  const expired = { rule: 'receipt.expired' };

  test.each([
    ['an ack', acknowledging],
    ['a nack', returning(500)],
  ])('%s of its message, with a claim in its group if it has one', (_what, useOf) => {
    expect(useOf(first, received)).toEqual({
      handle: 'h0',
      claim: { group: received, position: 0 },
    });
    expect(useOf(alone, undefined)).toEqual({ handle: 'h1' });
  });

  test.each([
    ['an ack', acknowledging],
    ['a nack', returning(500)],
  ])(
    'nothing: %s of a group that is not known, or of a single message that was returned',
    (_what, useOf) => {
      expect(useOf(first, undefined)).toEqual(expired);
      expect(useOf(alone, returnedSingle(alone))).toEqual(expired);
    },
  );

  test('an ack again, which claims nothing any more', () => {
    expect(acknowledging(second, { ...received, acknowledged: [1] })).toEqual({ handle: 'h1' });
  });

  test('a nack that goes on where one did not finish', () => {
    const halfway = { ...received, blockedFrom: 1 };
    expect(returning(500)(first, halfway)).toEqual({
      handle: 'h0',
      claim: { group: halfway, position: 0 },
    });
    expect(returning(500)(second, halfway)).toEqual({
      handle: 'h1',
      claim: { group: halfway, position: 1 },
    });
  });
});

describe('the delay of a release', () => {
  test.each([
    [0, 5_000, 0],
    [60, 5_000, 60],
    [43_200, 0, 43_190],
    [43_200, 60_001, 43_129],
    [43_200, 50_000_000, 0],
    [43_200, -5_000, 43_190],
  ])('of %i s, asked %i ms after the receive, is %i s', (asked, held, allowed) => {
    expect(releaseDelay(asked, held)).toBe(allowed);
  });
});

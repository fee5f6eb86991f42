import { newSealKey, type SealContext, sealerOf } from '../../../lib/access/seals/seal.ts';
import { sealKey } from '../../support/fakes/seals.ts';

const [older, newer] = [sealKey('old1'), sealKey('new1', 1_000)];
const position: SealContext = { purpose: 'position', of: ['stories', 'w1'] };
const content = '2026-05-04T09:00:00.000Z#k1#7#mé';

const sealer = sealerOf([older], 0);
const sealed = sealer.seal(position, content);

describe('what is sealed', () => {
  test('opens in its context, and is a text for URLs that tells nothing', () => {
    expect(sealer.open(position, sealed)).toBe(content);
    expect(sealed).toMatch(/^old1[\w-]+$/);
    expect(Buffer.from(sealed.slice(4), 'base64url').toString()).not.toContain('2026');
    expect(sealed).toHaveLength(42 + Math.ceil((Buffer.byteLength(content) * 4) / 3));
  });

  test('may be empty', () => {
    const empty = sealer.seal(position, '');
    expect(empty).toHaveLength(42);
    expect(sealer.open(position, empty)).toBe('');
    expect(sealer.open(position, empty.slice(0, -1))).toBeUndefined();
  });

  test('is the same text for the same content, and shares nothing with that of another', () => {
    expect(sealer.seal(position, content)).toBe(sealed);
    const other = sealer.seal(position, content.replace('#7#', '#8#'));
    expect(other.slice(4, 20)).not.toBe(sealed.slice(4, 20));
  });

  test.each<[string, SealContext]>([
    ['purpose', { ...position, purpose: 'receipt' }],
    ['list', { ...position, of: ['search', 'w1'] }],
    ['workspace', { ...position, of: ['stories', 'w2'] }],
    ['division of the same names', { ...position, of: ['stories,w1'] }],
  ])('does not open for another %s', (_what, context) => {
    expect(sealer.open(context, sealed)).toBeUndefined();
  });

  test('does not open with any bit of any byte changed', () => {
    const bytes = Buffer.from(sealed.slice(4), 'base64url');
    const variants = [...bytes].flatMap((byte, at) =>
      Array.from({ length: 8 }, (_, bit) => {
        const changed = Buffer.from(bytes);
        changed[at] = byte ^ (1 << bit);
        return `old1${changed.toString('base64url')}`;
      }),
    );
    expect(variants.length).toBe(8 * bytes.length);
    expect(variants.filter(variant => sealer.open(position, variant) !== undefined)).toEqual([]);
  });

  test('does not open in another spelling of the same bytes', () => {
    // The last character of 38 bytes has two bits that count for nothing.
    const spelled = sealer.seal(position, 'ten bytes.');
    expect(spelled.slice(4)).toHaveLength(51);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const others = [...alphabet]
      .map(last => spelled.slice(0, -1) + last)
      .filter(one => one !== spelled);
    expect(others).toHaveLength(63);
    expect(others.filter(one => sealer.open(position, one) !== undefined)).toEqual([]);
    expect(sealer.open(position, `${spelled}=`)).toBeUndefined();
    expect(sealer.open(position, spelled)).toBe('ten bytes.');
  });

  test.each(['', 'old1', 'old1AAAA', `new1${sealed.slice(4)}`, content])(
    '%j does not open',
    text => {
      expect(sealer.open(position, text)).toBeUndefined();
    },
  );
});

test('a new key is of 256 random bits, and its name of 24 others', () => {
  let drawn = 0;
  const random = (bytes: number) => {
    drawn += 1;
    return new Uint8Array(bytes).fill(drawn);
  };
  expect(newSealKey({ random }, 7)).toEqual({
    id: 'AQEB',
    secret: new Uint8Array(32).fill(2),
    sealsFrom: 7,
  });
});

describe('while a key is replaced', () => {
  const both = (now: number) => sealerOf([newer, older], now);

  test('the older one seals until the time of the newer one, and both open', () => {
    const [before, after] = [
      both(999).seal(position, content),
      both(1_000).seal(position, content),
    ];
    expect([before.slice(0, 4), after.slice(0, 4)]).toEqual(['old1', 'new1']);
    for (const now of [999, 1_000])
      expect([before, after].map(text => both(now).open(position, text))).toEqual([
        content,
        content,
      ]);
  });

  test('the newest one seals if the time of none has come', () => {
    const early = sealerOf([newer, sealKey('old2', 500)], 499).seal(position, content);
    expect(sealerOf([newer], 0).open(position, early)).toBe(content);
  });

  test('what a key sealed that is gone opens no more', () => {
    expect(sealerOf([newer], 1_000).open(position, sealed)).toBeUndefined();
  });

  test('a text of one key does not open as that of the other', () => {
    const text = both(1_000).seal(position, content);
    expect(both(1_000).open(position, `old1${text.slice(4)}`)).toBeUndefined();
  });
});

import { isUnchanged, withChecksum } from '../../lib/engines/durable-files.ts';

const value = { id: 'key-1', createdAt: 1_800_000_000_000, tags: { 7: 'ü', b: 'x' }, secret: 'c2VjcmV0' };

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

test('a flipped bit anywhere in the file is detected, or changes no member', () => {
  const original = Buffer.from(JSON.stringify(withChecksum(value), null, 2));
  expect(isUnchanged(JSON.parse(String(original)))).toBe(true);
  for (let bit = 0; bit < original.length * 8; bit += 1) {
    const damaged = Buffer.from(original);
    damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    const read = parsed(String(damaged));
    if (read !== undefined && isUnchanged(read)) expect(read).toMatchObject(value);
  }
});

test('a value without a checksum is accepted', () => {
  expect([value, [], 7, null].map(isUnchanged)).toEqual([true, true, true, true]);
});

import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Something that happens to one file. */
export interface Damage {
  readonly name: string;
  /** Changes the file; `older` is the same file of an earlier time, which may be absent. */
  inflict(path: string, older: string): void;
}

const changed = (name: string, change: (bytes: Buffer) => Buffer): Damage => ({
  name,
  inflict: path => writeFileSync(path, change(readFileSync(path))),
});

const cuts: readonly Damage[] = [
  changed('its last byte missing', bytes => bytes.subarray(0, -1)),
  changed('half of it missing', bytes => bytes.subarray(0, bytes.length >> 1)),
  changed('its last 4,096 bytes missing', bytes => bytes.subarray(0, Math.max(0, bytes.length - 4_096))),
  changed('nothing in it', () => Buffer.alloc(0)),
  { name: 'the file missing', inflict: path => rmSync(path) },
];

const zeroed = (name: string, from: (length: number) => number, count: number): Damage =>
  changed(name, bytes => {
    const start = Math.max(0, from(bytes.length));
    return bytes.fill(0, start, Math.min(bytes.length, start + count));
  });

const zeros: readonly Damage[] = [
  zeroed('zeros at its beginning', () => 0, 512),
  zeroed('zeros in the middle', length => length >> 1, 512),
  zeroed('zeros at its end', length => length - 600, 600),
  zeroed('a page of zeros', length => (length >> 2) & ~4_095, 4_096),
  changed('zeros behind its end', bytes => Buffer.concat([bytes, Buffer.alloc(600)])),
];

/** A flipped bit at so many places, from the beginning to the end. */
const flips = (count: number): readonly Damage[] =>
  Array.from({ length: count }, (_, index) =>
    changed(`bit ${index % 8} flipped at ${index}/${count}`, bytes => {
      const at = Math.floor((bytes.length * (index + 0.5)) / count);
      if (bytes.length > 0) bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (index % 8)), at);
      return bytes;
    }),
  );

const restored: Damage = {
  name: 'an older copy put back',
  inflict(path, older) {
    if (existsSync(older)) copyFileSync(older, path);
    else rmSync(path);
  },
};

export const damages = (flipCount: number): readonly Damage[] => [
  ...cuts,
  ...zeros,
  ...flips(flipCount),
  restored,
];

/** The files of a folder and its folders, by their paths in it. */
export const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => statSync(join(folder, name)).isFile())
    .sort();

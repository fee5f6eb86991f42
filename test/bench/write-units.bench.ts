import { randomBytes } from 'node:crypto';
import { writeUnits } from './commit-units.ts';
import { print } from './figures.ts';
import { storyOf } from './story.ts';

const sizes = [4_096, 65_536, 240_000];

const noise = (bytes: number): Buffer =>
  Buffer.from(`"${randomBytes(Math.floor((bytes * 3) / 4)).toString('base64')}"`);

const main = async (): Promise<void> => {
  const bodies = [
    ...sizes.map(bytes => [`a story of ${bytes} bytes`, Buffer.from(storyOf(bytes).text)] as const),
    ...sizes.map(bytes => [`${bytes} bytes of noise`, noise(bytes)] as const),
  ];
  print(`${'write units'.padEnd(44)}    commit   closing  together  raw body`);
  for (const line of await writeUnits(bodies)) print(line);
};

void main();

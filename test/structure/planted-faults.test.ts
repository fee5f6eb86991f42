import { readFileSync } from 'node:fs';
import { type Patch, planted } from '../checks/planted/plant.ts';
import { cells } from '../checks/planted/system-matrix.ts';

const { variants, executor, consumer, producer } = planted;

const patches: readonly Pick<Patch, 'file' | 'find'>[] = [
  ...[executor, consumer, producer, variants.consumer, variants.producer].flat(),
  ...cells.map(({ patch }) => patch),
];

// Most of them are planted by long campaigns alone.
test('the text that each planted fault changes stands once in its file', () => {
  expect(patches.length).toBeGreaterThan(150);
  const astray = patches.filter(
    ({ file, find }) => readFileSync(file, 'utf8').split(find).length !== 2,
  );
  expect(astray).toEqual([]);
});

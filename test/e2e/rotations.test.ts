import { rotateUnderLoad } from '../campaign/rotations.ts';

test('no publish fails while the key and every secret are rotated (10 clients; npm run campaign -- rotations: 50)', async () => {
  const { failures, ...figures } = await rotateUnderLoad(10, 700);
  console.log(JSON.stringify(figures));
  expect(failures).toEqual([]);
  expect(figures.published).toBeGreaterThan(20);
});

import { type Pause, rotateUnderLoad } from '../campaign/rotations.ts';
import { eventually } from '../support/eventually.ts';

/** Until every client has published three messages more. */
const threeMessages: Pause = {
  outlivesCaches: false,
  until: clients => {
    const goals = clients.map(({ published }) => published + 3);
    return eventually(() =>
      clients.every(({ published }, index) => published >= (goals[index] ?? 0)),
    );
  },
};

test('no publish fails while the key and every secret are rotated (npm run campaign -- rotations: with 50 clients and pauses)', async () => {
  const { failures, ...figures } = await rotateUnderLoad(10, threeMessages);
  expect(failures).toEqual([]);
  // Four pauses, with three messages of each of ten clients.
  expect(figures.published).toBeGreaterThanOrEqual(120);
});

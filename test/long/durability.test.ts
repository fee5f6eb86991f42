import { testUnless } from '../support/where.ts';
import { lackOfFullDisks } from '../torture/disturb.ts';
import { torture } from '../torture/torture.ts';

const clean = {
  acknowledged: 150,
  faults: 0,
  lost: 0,
  outOfOrder: 0,
  changed: 0,
  committedTwice: 0,
  keptThoughRefused: 0,
};

const load = { publishes: 150, producers: 10, stories: 20, consumers: 2 };

test('nothing is lost, reordered, changed or committed twice over a kill while 10 producers share stories (npm run torture: 50)', async () => {
  expect(await torture({ ...load, kills: 1, fullDisks: 0 })).toMatchObject({ ...clean, kills: 1 });
});

testUnless(
  lackOfFullDisks(),
  'while the disk is full publishes are answered with 503; afterwards the same service goes on, and nothing is lost',
  async () => {
    const result = await torture({ ...load, kills: 0, fullDisks: 1 });
    expect(result).toMatchObject({ ...clean, fullDisks: 1 });
    expect(result.unavailable).toBeGreaterThan(0);
  },
);

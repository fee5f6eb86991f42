import { join } from 'node:path';
import { sombus, temporaryFolder } from '../support/service-process.ts';

test.each([
  [['--without', 'wardrobe'], 'The roles are ncs, mam, skill,'],
  [['--speed', '0.5'], 'A speed is a number from 1'],
  [['--day', '2026-02-30'], 'A day is a date such as 2026-05-04.'],
])('newsroom %s is a wrong command line', async (args, words) => {
  expect(await sombus('newsroom', ...args)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(words),
  });
});

test('without a local service and without credentials, the newsroom says where to get them', async () => {
  const folder = temporaryFolder();
  const { code, stderr } = await sombus('newsroom', '--data', join(folder.path, 'none'));
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('sombus connections apply examples/newsroom.yaml'),
  ]);
  folder.remove();
});

import { demoStory } from '../../lib/som/messages/demo-messages.ts';
import { writeUnits } from './commit-units.ts';

test('a commit of 1 KB writes three items, an entry of the archive and one of what is pending', async () => {
  const [row = ''] = await writeUnits([['1 KB', Buffer.alloc(1024, 'x')]]);
  // In a transaction each counts twice; the closing update changes one item, and the index with it.
  expect(row.split(/ {2,}/)).toEqual(['1 KB', '10', '2', '12', '2']);
});

test('the messages of the demo take no more: beside its message, an entry has a third of a unit', async () => {
  const rows = await writeUnits(
    demoStory('demo-ncs').map(text => ['demo', Buffer.from(text)] as const),
  );
  expect(rows.map(row => row.split(/ {2,}/)[3])).toEqual(rows.map(() => '12'));
});

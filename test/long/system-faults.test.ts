import { roleNames } from '../../lib/kit/newsroom/roles.ts';
import { checkedBusHere } from '../checks/checked-bus.ts';
import { playGood } from '../checks/planted/system-good.ts';
import { cells, playCell } from '../checks/planted/system-matrix.ts';

// `npm run planted:systems` plays all of it.

const bus = checkedBusHere();

test('twelve faults are planted in each of the eight systems', () => {
  expect(roleNames).toHaveLength(8);
  expect(cells).toHaveLength(96);
});

test('a good graphics system proves all that it has to, with what it does about stories', async () => {
  const report = await playGood(bus, 'graphics', 'consumer');
  expect(report.unproven).toEqual([]);
  expect(report.words).toEqual([expect.stringContaining(' passes the som-bus checks for ')]);
  const reactions = report.cases.filter(({ case_id }) => case_id.startsWith('reactions/'));
  expect(reactions.map(({ verdict }) => verdict)).toEqual(Array(6).fill('passed'));
});

test('one that acknowledges before it acts is named by the case about it', async () => {
  const [cell] = cells.filter(
    ({ role, name }) => role === 'graphics' && name === 'acknowledged-first',
  );
  if (!cell) throw new Error('There is no such fault.');
  expect((await playCell(bus, cell)).found).toBe('reactions/acts-first');
});

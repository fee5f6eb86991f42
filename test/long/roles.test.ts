import { roleTable } from '../../lib/kit/newsroom/roles.ts';
import { checkedBusHere } from '../checks/checked-bus.ts';
import {
  type ConsumerModules,
  consumerCheckedOnBus,
  consumerFiles,
} from '../checks/planted/consumer-on-bus.ts';
import { modulesWith } from '../checks/planted/plant.ts';

const bus = checkedBusHere();

/** All by `npm run planted`; in CI a graphics system, which receives no stories. */
const isEvery = process.env['SOMBUS_EVERY_FAULT'] === '1';

const graphics = ['graphics', ['telling.*']] as const;
const systems = isEvery
  ? [
      ...(['ncs', 'standards', 'playout'] as const).map(
        one => [one, roleTable[one].receives] as const,
      ),
      graphics,
    ]
  : [graphics];

test.each(systems)(
  'a good consumer proves all that a system of the role %s has to',
  async (role, receives) => {
    const modules = await modulesWith<ConsumerModules>(consumerFiles);
    const report = await consumerCheckedOnBus(bus, modules, { role, receives });
    expect(report.unproven).toEqual([]);
    expect(report.totals).toMatchObject({ failed: 0, 'not run': 0 });
    expect(report).toMatchObject({ role, passed: true });
    expect(report.words).toEqual([expect.stringContaining(' passes the som-bus checks for ')]);
  },
);

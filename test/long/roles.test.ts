import { roleTable } from '../../lib/kit/newsroom/roles.ts';
import { checkedBusHere } from '../checks/checked-bus.ts';
import {
  type ConsumerModules,
  consumerCheckedOnBus,
  consumerFiles,
} from '../checks/planted/consumer-on-bus.ts';
import { modulesWith } from '../checks/planted/plant.ts';

const bus = checkedBusHere();

// What these systems of the newsroom receive, and a graphics system that receives no stories.
const systems = [
  ['ncs', roleTable.ncs.receives],
  ['standards', roleTable.standards.receives],
  ['playout', roleTable.playout.receives],
  ['graphics', ['telling.*']],
] as const;

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

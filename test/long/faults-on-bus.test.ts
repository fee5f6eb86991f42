import { checkedBusHere } from '../checks/checked-bus.ts';
import { executorFaults } from '../checks/planted/executor-faults.ts';
import { checkedOnBus } from '../checks/planted/executor-on-bus.ts';
import { type ExecutorModules, executorFiles } from '../checks/planted/executor-on-paper.ts';
import { modulesWith } from '../checks/planted/plant.ts';

const bus = checkedBusHere();

/** The campaign tries all faults with all cases. */
const some = executorFaults
  .filter((_, at) => at % 6 === 0)
  .map(fault => [fault.meant, fault.fault, fault] as const);

test.each(some)('on a whole bus, %s fails if %s', async (id, _title, fault) => {
  const modules = await modulesWith<ExecutorModules>(executorFiles, fault);
  expect((await checkedOnBus(bus, modules, [id])).cases).toMatchObject([{ case_id: id, verdict: 'failed' }]);
});

import { checkedBus } from './checked-bus.ts';
import { executorFaults } from './planted/executor-faults.ts';
import { checkedOnBus } from './planted/executor-on-bus.ts';
import { type ExecutorModules, executorFiles } from './planted/executor-on-paper.ts';
import { modulesWith } from './planted/plant.ts';

let bus: Awaited<ReturnType<typeof checkedBus>>;
beforeAll(async () => {
  bus = await checkedBus();
});
afterAll(() => bus.close());

/** Some of the faults, each with the case that is meant for it; `npm run campaign -- executor-faults` tries all of them with all cases. */
const some = executorFaults.filter((_, at) => at % 6 === 0);

test.each(some.map(fault => [fault.fault, fault] as const))(
  'a whole run finds: %s',
  async (_title, fault) => {
    const executor = await modulesWith<ExecutorModules>(executorFiles, fault);
    const report = await checkedOnBus(bus, executor, [fault.meant]);
    expect(report.cases).toMatchObject([{ case_id: fault.meant, verdict: 'failed' }]);
  },
);

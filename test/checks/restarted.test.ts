import { checkedBusHere, handExecutor } from './checked-bus.ts';

const bus = checkedBusHere();
const id = 'raise-flag-on-match/restarted';

/** The case about a restart, of an executor that is restarted when the run asks for it. */
const judged = async (restarts: boolean, isForgetful: boolean) => {
  const { consumer, producer } = await bus.pair();
  const ids = { consumer: consumer.id, producer: producer.id };
  const run = await bus.begin({ kind: 'executor', ...ids, restarts, cases: [id] });
  let executor = handExecutor(consumer, producer);
  const asks = new Set<string>();
  const report = await bus.finish(run, {
    async work() {
      const [one] = (await bus.report(run)).cases.filter(({ case_id }) => case_id === id);
      if (one?.ask !== undefined && !asks.has(one.ask)) {
        asks.add(one.ask);
        if (isForgetful) executor = handExecutor(consumer, producer);
      }
      await executor.learn();
      await executor.work();
    },
  });
  const found = report.cases.find(({ case_id }) => case_id === id);
  return { verdict: found?.verdict, asks: [...asks] };
};

test('an executor that knows what it has declared passes', async () => {
  expect(await judged(true, false)).toEqual({
    verdict: 'passed',
    asks: ['Restart the executor now.'],
  });
});

test('one that forgets it on a restart fails', async () => {
  expect(await judged(true, true)).toMatchObject({ verdict: 'failed' });
});

test('if nobody restarts it, the case does not apply, and nothing is asked for', async () => {
  expect(await judged(false, false)).toEqual({ verdict: 'not applicable', asks: [] });
});

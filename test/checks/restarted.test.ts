import { randomUUID } from 'node:crypto';
import { NoResponse } from '../../lib/kit/client/index.ts';
import { makeReady, reactionTo } from '../../lib/kit/executor/evaluate.ts';
import { Memory } from '../../lib/kit/executor/memory.file.ts';
import type { TestConnection } from '../../lib/local/testing/api.ts';
import { checkedBusHere } from './checked-bus.ts';

const bus = checkedBusHere();
const group = 'raise-flag-on-match';

interface Habits {
  /** Whether what it has decided survives the process. */
  readonly keeps: boolean;
  readonly acknowledgesFirst: boolean;
}

/** An executor as one process after the other runs it, with a disk that outlives them. */
const executorWith = (
  consumer: TestConnection,
  producer: TestConnection,
  { keeps, acknowledgesFirst }: Habits,
) => {
  const disk = { text: new Memory(consumer.id).toText() };
  const start = () => {
    const memory = new Memory(consumer.id, disk.text);
    // What it has still to publish, with the receipt of its cause.
    let unsent: { readonly texts: readonly string[]; readonly handle: string }[] = [];
    const instances = async () => {
      const read = await consumer.registrations();
      if (read.outcome !== 'registrations') throw new Error(read.outcome);
      return read.registrations.map(({ skillId, skillVersion, instanceLabel, values }) =>
        makeReady({ skillId, skillVersion, label: instanceLabel, values }),
      );
    };
    let waitsUntil = 0;
    const outcomeOf = async (text: string): Promise<string> => {
      try {
        return (await producer.publish(text, { deadline: 1_000 })).outcome;
      } catch (error) {
        // Its last attempt came too late for a response.
        if (error instanceof NoResponse) return 'uncertain';
        throw error;
      }
    };
    const isOut = async (text: string): Promise<boolean> => {
      const outcome = await outcomeOf(text);
      if (outcome === 'accepted' || outcome === 'duplicate') return true;
      waitsUntil = bus.clock.now() + 15_000;
      return false;
    };
    const publish = async (): Promise<void> => {
      if (bus.clock.now() < waitsUntil) return;
      for (const one of unsent) {
        for (const text of one.texts) if (!(await isOut(text))) return;
        unsent = unsent.slice(1);
        if (!acknowledgesFirst) await consumer.ack([one.handle]);
      }
    };
    return async (): Promise<void> => {
      await publish();
      const ready = await instances();
      const pulled = await consumer.pull({ wait: 0, visibility: 30 });
      for (const { message, receiptHandle } of pulled.outcome === 'pulled' ? pulled.messages : []) {
        const { texts } = reactionTo(message, {
          memory,
          instances: ready,
          compose: (cause, declared) =>
            producer.compose({
              message_type: 'skill.warning.raised',
              cause,
              payload: { warning_id: randomUUID(), ...declared },
            }),
        });
        if (keeps) disk.text = memory.toText();
        if (acknowledgesFirst) await consumer.ack([receiptHandle]);
        unsent.push({ texts, handle: receiptHandle });
      }
      await publish();
    };
  };
  let process = start();
  return {
    work: () => process(),
    restart: () => {
      process = start();
    },
  };
};

const good: Habits = { keeps: true, acknowledgesFirst: false };

/** What the cases about a restart say of an executor that is restarted when the run asks for it. */
const judged = async (name: string, restarts: boolean, habits: Habits) => {
  const { consumer, producer } = await bus.pair();
  const ids = { consumer: consumer.id, producer: producer.id };
  const case_id = `${group}/${name}`;
  const run = await bus.begin({ kind: 'executor', ...ids, restarts, cases: [case_id] });
  const executor = executorWith(consumer, producer, habits);
  const asks = new Set<string>();
  const report = await bus.finish(run, {
    async work() {
      const one = (await bus.report(run)).cases.find(known => known.case_id === case_id);
      if (one?.ask !== undefined && !asks.has(one.ask)) {
        asks.add(one.ask);
        executor.restart();
      }
      await executor.work();
    },
  });
  const found = report.cases.find(known => known.case_id === case_id);
  const failed = found?.checks.filter(({ passed }) => !passed).map(one => one.name);
  return { verdict: found?.verdict, failed, asks: [...asks] };
};

const cases = ['restarted', 'stopped-before-it-acts', 'stopped-before-it-knows'];

test.each(cases)('%s: an executor that keeps what it has decided passes', async name => {
  expect(await judged(name, true, good)).toEqual({
    verdict: 'passed',
    failed: [],
    asks: ['Restart the executor now.'],
  });
});

test.each([
  ['restarted', { ...good, keeps: false }, 's3 count'],
  ['stopped-before-it-acts', { ...good, acknowledgesFirst: true }, 's2 count'],
  ['stopped-before-it-knows', { ...good, keeps: false }, 's2 count'],
])('%s: one with the habits %j fails', async (name, habits, check) => {
  const { verdict, failed } = await judged(name, true, habits);
  expect([verdict, failed]).toEqual(['failed', expect.arrayContaining([check])]);
});

test.each(cases)('%s: if nobody restarts it, the case does not apply', async name => {
  expect(await judged(name, false, good)).toEqual({
    verdict: 'not applicable',
    failed: [],
    asks: [],
  });
});

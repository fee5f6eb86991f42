import { checkedBusHere } from './checked-bus.ts';
import {
  type ConsumerModules,
  consumerCheckedOnBus,
  consumerFiles,
} from './planted/consumer-on-bus.ts';
import { modulesWith, planted } from './planted/plant.ts';

// A consumer need not receive stories: the same faults are found with the messages that it receives.

const bus = checkedBusHere();

const faultFor = (meant: string) => {
  const fault = planted.consumer.find(one => one.meant === meant);
  if (!fault) throw new Error(`No fault is meant for ${meant}.`);
  return fault;
};

const some = ['texts', 'later-versions', 'delivery/duplicate', 'delivery/order'];

const verdictsOf = async (receives: readonly string[], modules: ConsumerModules) => {
  const { cases } = await consumerCheckedOnBus(bus, modules, { receives, cases: some });
  return cases.map(({ case_id, verdict }) => `${verdict} ${case_id}`);
};

const received = [
  ['link.*'],
  ['telling.*'],
  ['delivery.media_available'],
  ['system.audit', 'skill.warning.raised'],
] as const;

describe.each(received.map(receives => [receives.join(' and '), receives] as const))(
  'a consumer of %s',
  (_name, receives) => {
    test('passes, if it is good', async () => {
      const verdicts = await verdictsOf(receives, await modulesWith(consumerFiles));
      expect(verdicts.length).toBeGreaterThanOrEqual(11);
      expect(verdicts.filter(one => one.startsWith('failed') || one.startsWith('not run'))).toEqual(
        [],
      );
    });

    test.each(['delivery/order', 'delivery/duplicate'])('fails by %s', async meant => {
      const broken = await modulesWith<ConsumerModules>(consumerFiles, faultFor(meant));
      expect(await verdictsOf(receives, broken)).toContain(`failed ${meant}`);
    });
  },
);

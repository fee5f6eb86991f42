import { checkedBusHere } from './checked-bus.ts';
import { checksOnBus } from './planted/on-bus.ts';
import { planted } from './planted/plant.ts';

const checks = checksOnBus(checkedBusHere());

// One of each: test/long/planted-faults plays more, and `npm run planted` all.
test.each(['executor', 'producer', 'consumer'] as const)(
  'the cases find a fault of the %s',
  async kind => {
    const [fault] = planted[kind];
    const meant = fault?.meant ?? '';
    expect(await checks[kind](fault, [meant])).toContainEqual(
      expect.objectContaining({ case_id: meant, verdict: 'failed' }),
    );
  },
);

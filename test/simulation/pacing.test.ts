import { windows } from '../../lib/contract/limits.ts';
import { busiestMinute, type HousePlan, percentileOf, simulateHouse } from './paced-house.ts';

const allowed = windows.anyRoutePerAddress.requests;

/** Whole hours by `npm run pacing`; in CI a third of each. */
const minutes = process.env['SOMBUS_WHOLE_HOURS'] === undefined ? 20 : 60;

/** What goes wrong in that time: bursts, lost responses, 429s, and a crash every seven minutes. */
const troubled = {
  seed: 41,
  minutes,
  burst: 120,
  correlations: 100,
  lost: 0.002,
  refused: 0.002,
  crashEveryMinutes: 7,
};

describe('hours of consumers and a producer behind one address', () => {
  const houses: readonly (readonly [string, HousePlan])[] = [
    ['2 consumers', { ...troubled, consumers: 2, perSecond: 2 }],
    ['8 consumers', { ...troubled, consumers: 8, perSecond: 2 }],
    // Twenty times the default would be more than an address is allowed.
    [
      '20 consumers of 17 requests',
      { ...troubled, consumers: 20, perSecond: 1, requestsPerMinute: 17 },
    ],
  ];

  test.each(houses)(
    '%s: all is delivered, in time and in order, and nothing refused',
    async (_, plan) => {
      const seen = await simulateHouse(plan);

      expect(seen.accepted).toBe(minutes * (60 * plan.perSecond + troubled.burst / 10));
      expect(seen.notAccepted).toEqual([]);
      expect(seen.refused).toBe(0);
      expect(busiestMinute(seen.requests)).toBeLessThanOrEqual(allowed);
      expect(seen.ended).toEqual([]);
      expect(seen.undelivered).toBe(0);
      expect(seen.outOfOrder).toBe(0);
      expect(seen.lateAcks).toBe(0);
      expect(percentileOf(seen.lags, 95)).toBeLessThan(60_000);
      // A crash or a lost response hides messages for their visibility; then they come in turn.
      expect(percentileOf(seen.lags, 100)).toBeLessThan(180_000);
    },
  );
});

describe('too many for an address', () => {
  test('20 consumers of the default are refused now and then, and none ends', async () => {
    const seen = await simulateHouse({ seed: 41, minutes: 20, consumers: 20, perSecond: 1 });

    expect(seen.refused).toBeGreaterThan(0);
    expect(seen.refused / seen.requests.length).toBeLessThan(0.03);
    expect(seen.ended).toEqual([]);
    expect(seen.undelivered).toBe(0);
    expect(seen.outOfOrder).toBe(0);
  });

  test('8 consumers that keep no pace are refused at five messages a second', async () => {
    const plan = { seed: 41, minutes: 3, consumers: 8, perSecond: 5, correlations: 1000 };
    const unpaced = await simulateHouse({ ...plan, requestsPerMinute: Number.POSITIVE_INFINITY });
    const paced = await simulateHouse(plan);

    expect(unpaced.refused / unpaced.requests.length).toBeGreaterThan(0.2);
    expect(paced.refused / paced.requests.length).toBeLessThan(0.01);
    expect(paced.undelivered).toBe(0);
  });
});

describe('8 consumers and a producer with nothing else', () => {
  const plan = { seed: 41, minutes: 3, consumers: 8, correlations: 100 };

  test.each([
    [1, 3_000],
    [2, 3_500],
    [4, 6_000],
  ])(
    'at %d a second, nothing is refused, and 95 of 100 messages come within %d ms',
    async (perSecond, milliseconds) => {
      const seen = await simulateHouse({ ...plan, perSecond });

      expect(seen.refused).toBe(0);
      expect(busiestMinute(seen.requests)).toBeLessThanOrEqual(allowed);
      expect(seen.undelivered).toBe(0);
      expect(percentileOf(seen.lags, 95)).toBeLessThanOrEqual(milliseconds);
    },
  );

  test('after silence, a message comes at once', async () => {
    const seen = await simulateHouse({ seed: 41, minutes: 5, consumers: 8, perSecond: 0.1 });

    expect(seen.lags).toHaveLength(8 * 30);
    expect(percentileOf(seen.lags, 100)).toBeLessThan(300);
  });
});

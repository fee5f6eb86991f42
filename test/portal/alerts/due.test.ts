import type { AlertKind } from '../../../lib/contract/portal/alerts.ts';
import type { Alert } from '../../../lib/portal/alerts/alerts.ts';
import { due, type EndedRun, type Level } from '../../../lib/portal/alerts/due.ts';

const now = Date.parse('2026-05-04T09:00:00.000Z');

const alertOf = (
  kind: AlertKind,
  threshold: number,
  state: Partial<Alert['state']> = {},
): Alert => ({
  id: 'laaaaaaaaaaaa',
  organisation: 'o1',
  workspace: 'w1',
  kind,
  threshold,
  to: { url: 'https://hooks.example/1', secret: 'whsec_' },
  createdAt: '2026-05-04T08:00:00.000Z',
  state: { raised: [], runs: [], deliveries: [], ...state },
  revision: 1,
});

const level = (connection: string, value: number | undefined): Level => ({
  connection,
  appName: `app of ${connection}`,
  value,
});

const told = (alert: Alert, levels: readonly Level[], runs: readonly EndedRun[] = []) => {
  const { events, ...state } = due(alert, { levels, runs }, now);
  return {
    ...state,
    events: events.map(({ type, data }) => [
      type,
      data.connections?.map(one => one.connection_id) ?? [data.run_id, data.status],
    ]),
  };
};

describe('an alert tells each change of a connection once', () => {
  test('it is raised above the threshold, not at it', () => {
    expect(told(alertOf('message_waits', 10), [level('c1', 10), level('c2', 10.1)])).toEqual({
      raised: ['c2'],
      runs: [],
      events: [['alert.raised', ['c2']]],
    });
  });

  test('nothing is told again while it lasts', () => {
    const alert = alertOf('message_waits', 10, { raised: ['c2'] });
    expect(told(alert, [level('c2', 600)])).toEqual({ raised: ['c2'], runs: [], events: [] });
  });

  test('one connection is over while another begins', () => {
    const alert = alertOf('refusals', 0, { raised: ['c1'] });
    expect(told(alert, [level('c1', 0), level('c2', 1)]).events).toEqual([
      ['alert.raised', ['c2']],
      ['alert.ended', ['c1']],
    ]);
  });

  test('what is not known now stays as it was; a connection that is gone is over', () => {
    const alert = alertOf('message_waits', 10, { raised: ['c1', 'c3'] });
    expect(told(alert, [level('c1', undefined), level('c2', undefined)])).toEqual({
      raised: ['c1'],
      runs: [],
      events: [['alert.ended', ['c3']]],
    });
  });

  test('a secret that ends is near from the threshold downwards', () => {
    const levels = [level('c1', 48), level('c2', 48.1), level('c3', Number.POSITIVE_INFINITY)];
    expect(told(alertOf('secret_ends', 48), levels).raised).toEqual(['c1']);
  });

  test('an event names twenty connections, with what was compared', () => {
    const levels = Array.from({ length: 30 }, (_, at) => level(`c${at}`, 11.7));
    const { events, raised } = due(alertOf('message_waits', 10), { levels, runs: [] }, now);
    expect(raised).toHaveLength(30);
    expect(events).toEqual([
      {
        type: 'alert.raised',
        timestamp: '2026-05-04T09:00:00.000Z',
        data: {
          alert_id: 'laaaaaaaaaaaa',
          workspace_id: 'w1',
          kind: 'message_waits',
          threshold: 10,
          connections: expect.arrayContaining([
            { connection_id: 'c0', app_name: 'app of c0', value: 11 },
          ]),
        },
      },
    ]);
    expect(events[0]?.data.connections).toHaveLength(20);
  });
});

test('a test run that ended after the alert was made is told once', () => {
  const run = (id: string, time: string) => ({ id, endedAt: Date.parse(time), status: 'finished' });
  const runs = [run('t1', '2026-05-04T07:59:00Z'), run('t2', '2026-05-04T08:01:00Z')];
  const first = told(alertOf('test_run_ended', 0), [], runs);
  expect(first).toEqual({
    raised: [],
    runs: ['t2'],
    events: [['test_run.ended', ['t2', 'finished']]],
  });
  const again = alertOf('test_run_ended', 0, { runs: first.runs });
  expect(told(again, [], [...runs, run('t3', '2026-05-04T08:59:00Z')]).events).toEqual([
    ['test_run.ended', ['t3', 'finished']],
  ]);
});

import { type Clock, defined, type Ids, randomName } from '../../contract/outside.ts';
import { alertLimits } from '../../contract/portal/alerts.ts';
import {
  type Alert,
  type AlertDelivery,
  type AlertState,
  type Alerts,
  stateToTell,
} from './alerts.ts';
import { due, type Facts } from './due.ts';
import { type TellPorts, tell } from './mail.ts';

/** One look at what alerts are about: what several ask for is read once. */
export interface AlertLook {
  /**
   * `stopped`: nothing is told while its organisation is suspended. `gone`: its organisation or
   * workspace is closed, it was a guest there and is no more, or whom it mails is no owner any
   * more.
   */
  of(alert: Alert): Promise<Facts | 'stopped' | 'gone'>;
}

interface WatchPorts extends TellPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly alerts: Pick<Alerts, 'all' | 'save' | 'remove'>;
  look(): AlertLook;
}

/**
 * Its multiples, without their whole parts, lie as evenly between 0 and 1 as those of no other
 * number.
 */
const goldenRatio = (Math.sqrt(5) - 1) / 2;

const { mailsPerDay, retryMinutes, pendingDeliveries, width } = alertLimits;

/**
 * What is on its way with what is new; the oldest are dropped when a host takes nothing for long.
 */
const queued = (
  { ids, clock }: WatchPorts,
  state: AlertState,
  events: readonly AlertDelivery['event'][],
) => {
  const fresh = events.map(event => ({
    id: `msg_${randomName(ids)}`,
    event,
    attempts: 0,
    dueAt: clock.now(),
  }));
  return [...state.deliveries, ...fresh].slice(-pendingDeliveries);
};

/** Makes one attempt. It is written down before: a process that stops in between has made it. */
const attempt = async (
  ports: WatchPorts,
  alert: Alert,
  deliveries: readonly AlertDelivery[],
): Promise<void> => {
  const { clock, alerts } = ports;
  const [first, ...others] = deliveries;
  const now = clock.now();
  if (!first) return;

  const begun = stateToTell(alert, now);
  if (!begun) {
    const problem = `it has got the ${mailsPerDay} e-mails of a day`;
    await alerts.save({
      ...alert,
      state: { ...alert.state, deliveries: [], last: { at: now, problem } },
    });
    return;
  }

  // After the last pause there is no further attempt.
  const pause = retryMinutes[first.attempts];
  const tried = { ...first, attempts: first.attempts + 1, dueAt: now + (pause ?? 0) * 60_000 };
  const left = pause === undefined ? others : [tried, ...others];
  const claimed = await alerts.save({ ...alert, state: { ...begun, deliveries: left } });
  if (!claimed) return;

  const { problem } = await tell(ports, { alert, delivery: first, now });
  const last = { at: now, ...defined({ problem }) };
  const state = { ...claimed.state, deliveries: problem === undefined ? others : left, last };
  await alerts.save({ ...claimed, state });
};

const lookAt = async (ports: WatchPorts, look: AlertLook, alert: Alert): Promise<void> => {
  const facts = await look.of(alert);
  if (facts === 'gone') await ports.alerts.remove(alert);
  if (facts === 'gone' || facts === 'stopped') return;

  const now = ports.clock.now();
  const { events, raised, runs } = due(alert, facts, now);
  const deliveries = queued(ports, alert.state, events);
  const state = { ...alert.state, raised, runs, deliveries };
  const [first] = deliveries;
  if (first && first.dueAt <= now) return attempt(ports, { ...alert, state }, deliveries);
  if (JSON.stringify(state) !== JSON.stringify(alert.state))
    await ports.alerts.save({ ...alert, state });
};

/**
 * Looks at what every alert is about, and tells what is new: one attempt for an alert and run. If
 * some could not be looked at, it throws at its end; the next run tries them again.
 */
export const watchAlerts = (ports: WatchPorts) =>
  /** @param deadline epoch milliseconds */
  async function watchAlerts(deadline: number): Promise<void> {
    const all = await ports.alerts.all();
    const look = ports.look();
    // Who comes first changes: hosts that are slow, or more alerts than a run can look at, keep
    // nobody waiting for long.
    const begin = Math.floor(
      ((Math.floor(ports.clock.now() / 60_000) * goldenRatio) % 1) * all.length,
    );
    const order = [...all.slice(begin), ...all.slice(0, begin)];
    const errors: unknown[] = [];
    for (let from = 0; from < order.length && ports.clock.now() < deadline; from += width) {
      const turns = order.slice(from, from + width).map(alert => lookAt(ports, look, alert));
      const results = await Promise.allSettled(turns);
      errors.push(
        ...results.flatMap(result => (result.status === 'rejected' ? [result.reason] : [])),
      );
    }
    if (errors.length > 0)
      throw new AggregateError(errors, `${errors.length} alerts could not be looked at.`);
  };

import { watchedAlarms } from '../contract/alarms.ts';
import { defined, iso } from '../contract/outside.ts';
import type { AlarmLine, HealthResponse } from '../contract/portal/operator-responses.ts';

export interface AlarmReading {
  readonly state: 'quiet' | 'ringing' | 'no_data';
  /** Epoch milliseconds: when it came into this state. */
  readonly since?: number;
}

/** The alarms of the environment. */
export interface AlarmStates {
  /** By id; an alarm that does not exist is absent. */
  read(ids: readonly string[]): Promise<ReadonlyMap<string, AlarmReading>>;
}

const order: readonly AlarmLine['state'][] = ['ringing', 'missing', 'no_data'];

/** What the alarms say of an environment; one that it should have and has not is told, too. */
export const healthOf = (
  readings: ReadonlyMap<string, AlarmReading>,
  now: number,
): Pick<HealthResponse, 'read_at' | 'quiet' | 'alarms'> => {
  const lines = watchedAlarms.flatMap(({ id, meaning, section, isOptional }): AlarmLine[] => {
    const reading = readings.get(id);
    if (reading === undefined && isOptional) return [];
    const { state = 'missing', since } = reading ?? {};
    if (state === 'quiet') return [];
    return [
      {
        alarm_id: id,
        state,
        ...defined({ since: since === undefined ? undefined : iso(since) }),
        meaning,
        section,
      },
    ];
  });
  const quiet = [...readings.values()].filter(({ state }) => state === 'quiet').length;
  return {
    read_at: iso(now),
    quiet,
    alarms: lines.sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state)),
  };
};

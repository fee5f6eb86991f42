import {
  type CloudWatchClient,
  DescribeAlarmsCommand,
  type StateValue,
} from '@aws-sdk/client-cloudwatch';
import type { resourceNames } from '../contract/environments.ts';
import { defined } from '../contract/outside.ts';
import type { AlarmReading, AlarmStates } from './health.ts';

/** CloudWatch's maximum of one call, for names and for what it returns. */
const alarmsPerCall = 100;

const states = {
  OK: 'quiet',
  ALARM: 'ringing',
  INSUFFICIENT_DATA: 'no_data',
} as const satisfies Record<StateValue, AlarmReading['state']>;

/**
 * Asks for each alarm by its name: a call for a prefix would need the right to describe every alarm
 * of the account.
 */
export const awsAlarmStates = (
  client: CloudWatchClient,
  { alarm }: Pick<ReturnType<typeof resourceNames>, 'alarm'>,
): AlarmStates => ({
  async read(ids) {
    const idsByName = new Map(ids.map(id => [alarm(id), id]));
    const names = [...idsByName.keys()];
    const readings = new Map<string, AlarmReading>();
    for (let from = 0; from < names.length; from += alarmsPerCall) {
      const { MetricAlarms = [] } = await client.send(
        new DescribeAlarmsCommand({
          AlarmNames: names.slice(from, from + alarmsPerCall),
          AlarmTypes: ['MetricAlarm'],
          MaxRecords: alarmsPerCall,
        }),
      );
      for (const { AlarmName = '', StateValue, ...times } of MetricAlarms) {
        const id = idsByName.get(AlarmName);
        if (id === undefined || StateValue === undefined) continue;
        // The other time is that of the last look at the metric.
        const since = (times.StateTransitionedTimestamp ?? times.StateUpdatedTimestamp)?.getTime();
        readings.set(id, { state: states[StateValue], ...defined({ since }) });
      }
    }
    return readings;
  },
});

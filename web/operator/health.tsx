import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Link from '@cloudscape-design/components/link';
import type { AlarmLine, HealthResponse } from '../../lib/contract/portal/operator-responses.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { type Look, Section, State } from '../page/layout.tsx';
import { List } from '../page/list.tsx';
import { urlBelow } from '../page/location.ts';
import { When } from '../page/time.tsx';

/** Alarms look at their metrics once a minute. */
const askMilliseconds = 60_000;

const states: Readonly<Record<AlarmLine['state'], Look>> = {
  ringing: ['error', 'Ringing'],
  missing: ['warning', 'Does not exist'],
  no_data: ['pending', 'No data yet'],
};

const Alarms = ({ of: alarms }: { readonly of: HealthResponse['alarms'] }) => (
  <List
    isEmbedded
    isWrapped
    items={alarms}
    of="alarm_id"
    columns={[
      ['Alarm', one => one.alarm_id, { minWidth: 160 }],
      ['State', one => <State of={states[one.state]} />, { minWidth: 130 }],
      ['Since', one => one.since !== undefined && <When at={one.since} />, { minWidth: 110 }],
      ['What it means', one => one.meaning, { minWidth: 260 }],
      [
        'What to do',
        one => (
          <Link
            href={urlBelow(`/docs/runbook#${one.section}`)}
            ariaLabel={`Runbook of ${one.alarm_id}`}
          >
            Runbook
          </Link>
        ),
        { minWidth: 110 },
      ],
    ]}
  />
);

const quietWords = ({ quiet, alarms }: HealthResponse): string =>
  alarms.length === 0 ? `All ${quiet} alarms are quiet.` : `${quiet} alarms are quiet.`;

const Readings = ({ health }: { readonly health: HealthResponse }) => {
  if (health.is_unwatched)
    return (
      <Alert type="info">
        Nothing watches this service: on a laptop there are no alarms, so this page cannot say
        whether all is well.
      </Alert>
    );
  return (
    <>
      {health.alarms.length > 0 && <Alarms of={health.alarms} />}
      <Box padding={{ top: 'xs' }}>
        <State of={[health.alarms.length === 0 ? 'success' : 'info', quietWords(health)]} />
      </Box>
    </>
  );
};

/** What the alarms of the environment say. */
export const Health = () => {
  const loading = useCall('operator.health', {}, askMilliseconds);
  const { alarms_at: alarmsAt, read_at: readAt } = loading.value ?? {};
  return (
    <Section
      title="Health of the environment"
      description={
        readAt !== undefined && (
          <>
            Read at <When at={readAt} />
          </>
        )
      }
      actions={
        alarmsAt !== undefined && (
          <Button href={alarmsAt} target="_blank" rel="noreferrer" iconName="external">
            Alarms in CloudWatch
          </Button>
        )
      }
    >
      <Loaded loading={loading}>{health => <Readings health={health} />}</Loaded>
    </Section>
  );
};

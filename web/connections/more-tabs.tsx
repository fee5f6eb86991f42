import Button from '@cloudscape-design/components/button';
import { runLook } from '../checks/run-look.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { State } from '../page/layout.tsx';
import { List } from '../page/list.tsx';
import { urlOf } from '../page/location.ts';
import { When } from '../page/time.tsx';

interface TabProps {
  readonly w: string;
  readonly c: string;
}

/** What people changed about a connection, the newest first. */
export const ConnectionChanges = ({ w, c }: TabProps) => {
  const query = { connection: c, kind: 'changed' };
  const loading = useCall('workspace.activity', { names: { w }, query });
  return (
    <Loaded loading={loading}>
      {({ activity, next }) => (
        <List
          isEmbedded
          items={activity}
          of="position"
          empty="Nobody has changed it in the last few days."
          columns={[
            ['When', one => <When at={one.at} />, { width: 220 }],
            [
              'What',
              ({ by, words, what }) => [by, words ?? what].filter(Boolean).join(' '),
              { isRowHeader: true },
            ],
          ]}
          footer={next !== undefined && 'Older changes are in the settings of the organisation.'}
        />
      )}
    </Loaded>
  );
};

/** The test runs of a connection, the newest first. */
export const ConnectionRuns = ({ w, c }: TabProps) => {
  const loading = useCall('check.list', { names: { w, c }, query: { after: '' } });
  return (
    <Loaded loading={loading}>
      {({ runs, may_start: mayStart }) => (
        <List
          isEmbedded
          items={runs}
          of="run_id"
          empty={
            mayStart
              ? 'It has not been tested yet. A run plays cases to it and judges what it does.'
              : 'It has not been tested yet.'
          }
          columns={[
            [
              'Started',
              one => (
                <a href={urlOf('run', { w, c, t: one.run_id })}>
                  <When at={one.started_at} />
                </a>
              ),
              { width: 220 },
            ],
            ['As', one => one.kind],
            ['State', one => <State of={runLook(one.status, one.reason)} />],
          ]}
          footer={<Button href={urlOf('runs', { w, c })}>Test runs of this connection</Button>}
        />
      )}
    </Loaded>
  );
};

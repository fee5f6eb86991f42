import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table from '@cloudscape-design/components/table';
import { useState } from 'react';
import { type AlertResponse, alertKinds } from '../../lib/contract/alerts.ts';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import { call } from '../page/call.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Confirm, useDoing } from '../page/doing.tsx';
import { Page } from '../page/layout.tsx';
import { ConnectionName } from '../page/names.tsx';
import { When } from '../page/time.tsx';
import { AlertForm } from './alert-form.tsx';

const inWords = ({ kind, threshold }: AlertResponse): string => {
  const row = alertKinds[kind];
  return 'unit' in row ? `${row.title} ${threshold} ${row.unit}` : row.title;
};

const State = ({ alert: { raised, last, pending } }: { readonly alert: AlertResponse }) => (
  <>
    {raised.length > 0 ? (
      <StatusIndicator type="warning">
        Raised for {raised.length} {raised.length === 1 ? 'connection' : 'connections'}
      </StatusIndicator>
    ) : (
      <StatusIndicator type="success">Quiet</StatusIndicator>
    )}
    {last && (
      <Box variant="small">
        {last.problem === undefined ? 'Delivered' : `Not delivered: ${last.problem}`}, <When at={last.at} />
        {pending > 0 && `; ${pending} waiting`}
      </Box>
    )}
  </>
);

interface ActionsProps {
  readonly w: string;
  readonly alert: AlertResponse;
  again(): void;
  edit(): void;
}

const Actions = ({ w, alert, again, edit }: ActionsProps) => {
  const [testing, deleting] = [useDoing(), useDoing()];
  const asked = { names: { w, l: alert.alert_id } };
  return (
    <>
      <SpaceBetween size="xs" direction="horizontal">
        <Button
          variant="inline-link"
          ariaLabel={`Test ${inWords(alert)}`}
          loading={testing.isBusy}
          onClick={() =>
            void testing.run(() => call('alert.test', asked), `${alert.host} took the test.`, again)
          }
        >
          Test
        </Button>
        <Button variant="inline-link" ariaLabel={`Change ${inWords(alert)}`} onClick={edit}>
          Change
        </Button>
        <Confirm
          button="Delete"
          label={`Delete ${inWords(alert)}`}
          variant="inline-link"
          title="Delete this alert?"
          doing={deleting}
          run={() => deleting.run(() => call('alert.delete', asked), 'The alert is deleted.', again)}
        >
          {inWords(alert)}: {alert.host} is told nothing more, and its secret is forgotten.
        </Confirm>
      </SpaceBetween>
      {testing.trouble}
    </>
  );
};

type Alerts = ResponseOf<'alert.list'>;

const Shown = ({ w, found, again }: { readonly w: string; readonly found: Alerts; again(): void }) => {
  const [edited, setEdited] = useState<AlertResponse | 'new' | undefined>(undefined);
  const mayMake = found.makers.length > 0;
  const done = () => {
    setEdited(undefined);
    again();
  };
  return (
    <>
      {edited && (
        <AlertForm
          key={edited === 'new' ? '' : edited.alert_id}
          w={w}
          makers={found.makers}
          alert={edited === 'new' ? undefined : edited}
          onDone={done}
        />
      )}
      <Table
        wrapLines
        items={found.alerts}
        trackBy="alert_id"
        header={
          <Header
            variant="h2"
            counter={`(${found.alerts.length})`}
            actions={mayMake && <Button onClick={() => setEdited('new')}>New alert</Button>}
          >
            Alerts
          </Header>
        }
        empty={
          <Box>{mayMake ? 'There is no alert yet.' : 'There is no alert yet. An owner creates one.'}</Box>
        }
        columnDefinitions={[
          { id: 'what', header: 'Alert', isRowHeader: true, cell: inWords },
          {
            id: 'of',
            header: 'Connection',
            cell: ({ connection_id: id }) =>
              id === undefined ? 'Every one' : <ConnectionName id={id} isShort />,
          },
          { id: 'host', header: 'Webhook', cell: ({ host }) => host },
          { id: 'state', header: 'State', cell: alert => <State alert={alert} /> },
          {
            id: 'actions',
            header: 'Actions',
            cell: alert =>
              alert.url !== undefined && (
                <Actions w={w} alert={alert} again={again} edit={() => setEdited(alert)} />
              ),
          },
        ]}
      />
    </>
  );
};

/** What the webhooks of an organisation are told of a workspace. */
export const AlertsPage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const loading = useCall('alert.list', { names: { w } }, 15_000);
  return (
    <Page
      title="Alerts"
      lead="A webhook of yours is told when something needs a person, and when it is over."
    >
      <Loaded loading={loading}>{found => <Shown w={w} found={found} again={loading.again} />}</Loaded>
    </Page>
  );
};

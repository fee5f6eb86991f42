import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import { OrganisationStatus } from '../organisation/organisation-page.tsx';
import { call } from '../page/call.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Confirm, useDoing } from '../page/doing.tsx';
import { Page } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { Day, When } from '../page/time.tsx';
import { Allowance, Approval } from './allowance.tsx';

export type Organisation = ResponseOf<'operator.organisations'>['organisations'][number];

interface RowProps {
  readonly organisation: Organisation;
  again(): void;
}

const Decline = ({ organisation: { organisation_id: o, name }, again }: RowProps) => {
  const doing = useDoing();
  return (
    <Confirm
      button="Decline"
      title={`Decline ${name}?`}
      doing={doing}
      run={() => doing.run(() => call('operator.decline', { names: { o } }), `${name} is declined.`, again)}
    >
      It cannot be approved afterwards.
    </Confirm>
  );
};

const Requests = ({ requests, again }: { readonly requests: readonly Organisation[]; again(): void }) => (
  <Table
    items={requests}
    trackBy="organisation_id"
    header={
      <Header variant="h2" counter={`(${requests.length})`}>
        Requests
      </Header>
    }
    empty={<Box>Nobody waits for approval.</Box>}
    columnDefinitions={[
      { id: 'name', header: 'Name', isRowHeader: true, cell: one => one.name },
      { id: 'type', header: 'Kind', cell: one => one.type },
      { id: 'at', header: 'Asked', cell: one => <When at={one.created_at} /> },
      {
        id: 'decide',
        header: 'Decision',
        cell: one => (
          <SpaceBetween direction="horizontal" size="xs">
            <Approval organisation={one} again={again} />
            <Decline organisation={one} again={again} />
          </SpaceBetween>
        ),
      },
    ]}
  />
);

const Suspension = ({ organisation: { organisation_id: o, name, status }, again }: RowProps) => {
  const doing = useDoing();
  if (status === 'suspended')
    return (
      <>
        <Button
          loading={doing.isBusy}
          ariaLabel={`Resume ${name}`}
          onClick={() =>
            void doing.run(() => call('operator.resume', { names: { o } }), `${name} is active again.`, again)
          }
        >
          Resume
        </Button>
        {doing.trouble}
      </>
    );
  if (status !== 'active') return null;
  return (
    <Confirm
      button="Suspend"
      label={`Suspend ${name}`}
      title={`Suspend ${name}?`}
      doing={doing}
      run={() => doing.run(() => call('operator.suspend', { names: { o } }), `${name} is suspended.`, again)}
    >
      All its connections are refused until you resume it.
    </Confirm>
  );
};

const allowanceWords = ({ tier, quota }: Organisation): string =>
  quota ? `${quota.per_second}/s, ${quota.per_day.toLocaleString('en')} a day` : tier;

const Organisations = ({ known, again }: { readonly known: readonly Organisation[]; again(): void }) => (
  <Table
    items={known}
    trackBy="organisation_id"
    header={
      <Header variant="h2" counter={`(${known.length})`}>
        Organisations
      </Header>
    }
    empty={<Box>There are no organisations yet.</Box>}
    columnDefinitions={[
      {
        id: 'name',
        header: 'Name',
        isRowHeader: true,
        cell: one => <a href={urlOf('organisation', { o: one.organisation_id })}>{one.name}</a>,
      },
      { id: 'type', header: 'Kind', cell: one => one.type },
      { id: 'status', header: 'State', cell: one => <OrganisationStatus status={one.status} /> },
      { id: 'allowance', header: 'Allowance', cell: allowanceWords },
      { id: 'since', header: 'Since', cell: one => <Day at={one.created_at} /> },
      {
        id: 'actions',
        header: 'Action',
        cell: one => (
          <SpaceBetween direction="horizontal" size="xs">
            {one.status === 'active' && <Allowance organisation={one} again={again} />}
            <Suspension organisation={one} again={again} />
          </SpaceBetween>
        ),
      },
    ]}
  />
);

/** What the operator of the environment decides. */
export const OperatorPage = () => {
  const loading = useCall('operator.organisations');
  const alarms = loading.value?.alarms_at;
  return (
    <Page
      title="Operator"
      lead="Organisations of this environment. You see no messages and no secrets here."
      actions={
        alarms !== undefined && (
          <Button href={alarms} target="_blank" rel="noreferrer" iconName="external">
            Alarms in CloudWatch
          </Button>
        )
      }
    >
      <Loaded loading={loading}>
        {({ organisations }) => (
          <>
            <Requests
              requests={organisations.filter(({ status }) => status === 'requested')}
              again={loading.again}
            />
            <Organisations
              known={organisations.filter(({ status }) => status !== 'requested')}
              again={loading.again}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
};

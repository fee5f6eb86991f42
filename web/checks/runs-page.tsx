import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table from '@cloudscape-design/components/table';
import type { RunResponse } from '../../lib/contract/work-responses.ts';
import { useValue } from '../page/cell.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Page } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { When } from '../page/time.tsx';
import { connections } from '../page/workspaces.ts';
import { StartForm } from './start-form.tsx';

/** How each state of a run looks. */
export const runIndicators = { running: 'in-progress', finished: 'success', aborted: 'stopped' } as const;

interface Names {
  readonly w: string;
  readonly c: string;
}

const History = ({ names, runs }: { readonly names: Names; readonly runs: readonly RunResponse[] }) => {
  const beforeOf = (run: RunResponse) =>
    runs.slice(runs.indexOf(run) + 1).find(({ kind }) => kind === run.kind);
  return (
    <Table
      contentDensity="compact"
      items={runs}
      trackBy="run_id"
      header={
        <Header variant="h2" counter={`(${runs.length})`}>
          History
        </Header>
      }
      empty={<Box>This connection was in no run yet.</Box>}
      columnDefinitions={[
        {
          id: 'at',
          header: 'Started',
          isRowHeader: true,
          cell: run => (
            <a href={urlOf('run', { ...names, t: run.run_id })}>
              <When at={run.started_at} />
            </a>
          ),
        },
        { id: 'kind', header: 'Tested as', cell: run => run.kind },
        {
          id: 'status',
          header: 'State',
          cell: run => (
            <>
              <StatusIndicator type={runIndicators[run.status]}>{run.status}</StatusIndicator>
              {run.reason && <div>{run.reason}</div>}
            </>
          ),
        },
        {
          id: 'compare',
          header: 'Compare',
          cell: run => {
            const before = beforeOf(run);
            return (
              before && (
                <a href={urlOf('run', { ...names, t: run.run_id }, { before: before.run_id })}>
                  Compare with the one before
                </a>
              )
            );
          },
        },
      ]}
    />
  );
};

/** The runs of one connection, and a new one. */
export const RunsPage = ({ names: { w, c } }: { readonly names: Names }) => {
  const names = { w, c };
  const known = useValue(connections);
  const loading = useCall('check.list', { names });
  const own = known.find(one => one.connection_id === c);
  const others = known.filter(
    ({ kind, status, organisation_id: of }) =>
      kind !== own?.kind && status === 'active' && of === own?.organisation_id,
  );
  return (
    <Page
      title={own ? `Test runs of ${own.app_name}` : 'Test runs'}
      lead="A run plays messages to a system, and says for each case whether it did what SOM and the skill library ask for."
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          <Button href={urlOf('connection', { w, c })}>Connection</Button>
        </SpaceBetween>
      }
    >
      <Loaded loading={loading}>
        {({ runs, may_start }) => (
          <>
            {may_start && own && (
              <Container header={<Header variant="h2">Start a run</Header>}>
                <StartForm key={c} names={names} kind={own.kind} others={others} />
              </Container>
            )}
            <History names={names} runs={runs} />
          </>
        )}
      </Loaded>
    </Page>
  );
};

/** The connections of a workspace, to choose the one that is tested. */
export const AllRunsPage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const loading = useCall('workspace.show', { names: { w } });
  return (
    <Page title="Test runs" lead="Choose the connection of the system that is tested.">
      <Loaded loading={loading}>
        {found => (
          <Table
            contentDensity="compact"
            items={found.connections
              .filter(({ status }) => status !== 'revoked')
              .toSorted((a, b) => a.app_name.localeCompare(b.app_name) || a.kind.localeCompare(b.kind))}
            trackBy="connection_id"
            header={<Header variant="h2">Connections</Header>}
            empty={
              <Box>
                There are no connections yet. <a href={urlOf('makeConnection', { w })}>Create one</a> for the
                system that you test.
              </Box>
            }
            columnDefinitions={[
              {
                id: 'app',
                header: 'App',
                isRowHeader: true,
                cell: one => (
                  <a href={urlOf('runs', { w, c: one.connection_id })}>
                    {one.app_name}, {one.kind}
                  </a>
                ),
              },
              { id: 'id', header: 'Id', cell: one => <code>{one.connection_id}</code> },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
};

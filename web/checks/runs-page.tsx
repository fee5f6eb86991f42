/** @jsxImportSource preact */
import type { RunAnswer } from '../../lib/contract/work-answers.ts';
import { addressOf } from '../page/address.ts';
import { Page } from '../page/elements.tsx';
import { Badge, When } from '../page/facts.tsx';
import { Table } from '../page/table.tsx';
import { Loaded, useCall } from '../page/trouble.tsx';
import { StartForm } from './start-form.tsx';

/** The colour of each state of a run. */
export const runTones = { running: 'open', finished: 'right', aborted: 'wrong' } as const;

interface Names {
  readonly w: string;
  readonly c: string;
}

const RunRow = ({
  names,
  run,
  before,
}: {
  readonly names: Names;
  readonly run: RunAnswer;
  readonly before?: RunAnswer;
}) => (
  <tr>
    <th scope="row">
      <a href={addressOf('run', { ...names, t: run.run_id })}>
        <When at={run.started_at} />
      </a>
    </th>
    <td>{run.kind}</td>
    <td>
      <Badge tone={runTones[run.status]}>{run.status}</Badge>
      {run.reason && <div class="quiet">{run.reason}</div>}
    </td>
    <td>
      {before && (
        <a href={addressOf('run', { ...names, t: run.run_id }, { before: before.run_id })}>
          Compare with the one before
        </a>
      )}
    </td>
  </tr>
);

/** The runs of one connection, and a new one. */
export const RunsPage = ({ names: { w, c } }: { readonly names: Names }) => {
  const names = { w, c };
  const shown = useCall('workspace.show', { names: { w } });
  const loading = useCall('check.list', { names });
  const own = shown.value?.connections.find(one => one.connection_id === c);
  const others = (shown.value?.connections ?? []).filter(
    ({ kind, status, organisation_id: of }) =>
      kind !== own?.kind && status === 'active' && of === own?.organisation_id,
  );
  return (
    <Page
      title={own ? `Test runs of ${own.app_name}` : 'Test runs'}
      lead="A run plays messages to a system, and says for each case whether it did what SOM and the skill library ask for."
    >
      <p class="actions">
        <a href={addressOf('connection', { w, c })}>The connection</a>
        <a href={addressOf('allRuns', { w })}>Other connections</a>
      </p>
      <Loaded loading={loading}>
        {({ runs, may_start }) => (
          <>
            {may_start && own && (
              <>
                <h2>Start a run</h2>
                <StartForm key={others.length} names={names} kind={own.kind} others={others} />
              </>
            )}
            <h2>History</h2>
            {runs.length === 0 ? (
              <p class="empty">This connection was in no run yet.</p>
            ) : (
              <Table label="Runs, the newest first" heads={['Started', 'Tested as', 'State', 'Compare']}>
                {runs.map((run, at) => {
                  const before = runs.slice(at + 1).find(({ kind }) => kind === run.kind);
                  return <RunRow key={run.run_id} names={names} run={run} {...(before ? { before } : {})} />;
                })}
              </Table>
            )}
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
        {({ connections }) => {
          const usable = connections
            .filter(({ status }) => status !== 'revoked')
            .sort((a, b) => a.app_name.localeCompare(b.app_name) || a.kind.localeCompare(b.kind));
          return usable.length === 0 ? (
            <p class="empty">
              There are no connections yet. <a href={addressOf('makeConnection', { w })}>Make one</a> for the
              system that you test.
            </p>
          ) : (
            <ul>
              {usable.map(({ connection_id: c, app_name: app, kind }) => (
                <li key={c}>
                  <a href={addressOf('runs', { w, c })}>
                    {app}, {kind}
                  </a>{' '}
                  <code class="quiet">{c}</code>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Page>
  );
};

/** @jsxImportSource preact */
import { useEffect, useId } from 'preact/hooks';
import type { CaseAnswer, CaseVerdict, ReportAnswer } from '../../lib/contract/checks.ts';
import { Confirmed, useAction } from '../page/action.tsx';
import { addressOf, filters, setFilters } from '../page/address.ts';
import { ConnectionName, KnownConnections } from '../page/connection-name.tsx';
import { Page } from '../page/elements.tsx';
import { Badge, Facts, When } from '../page/facts.tsx';
import { Loaded, Trouble, useCall } from '../page/trouble.tsx';
import { differencesOf, keyOf } from './compare.ts';
import { Coverage } from './coverage.tsx';
import { runTones } from './runs-page.tsx';
import { SaveReport } from './save-report.tsx';

const verdictTones: Readonly<Record<CaseVerdict, 'right' | 'wrong' | 'open' | 'quiet'>> = {
  passed: 'right',
  failed: 'wrong',
  'not run': 'open',
  'pending spec': 'quiet',
};

/** How often a run that goes on is looked at. */
const everyMilliseconds = 2_500;

const Messages = ({ w, ids }: { readonly w: string; readonly ids: readonly string[] }) =>
  ids.length === 0 ? null : (
    <p>
      Messages:{' '}
      {ids.map(id => (
        <a key={id} href={addressOf('message', { w, m: id })}>
          <code>{id.slice(0, 8)}</code>{' '}
        </a>
      ))}
    </p>
  );

const Case = ({ w, one }: { readonly w: string; readonly one: CaseAnswer }) => (
  <li>
    <details open={one.verdict === 'failed'}>
      <summary>
        <Badge tone={verdictTones[one.verdict]}>{one.verdict}</Badge> {one.title}{' '}
        <code class="quiet">{keyOf(one)}</code>
      </summary>
      {one.reason && <p>{one.reason}</p>}
      {one.advice && <p class="about">{one.advice}</p>}
      <ul>
        {one.checks.map(({ name, passed, expected, found }) => (
          <li key={name}>
            {passed ? 'As expected' : 'Not as expected'}: {name}
            {!passed && (
              <>
                . Expected {expected}; found {found}.
              </>
            )}
          </li>
        ))}
      </ul>
      <Messages w={w} ids={one.message_ids} />
    </details>
  </li>
);

const Compared = ({ before, after }: { readonly before: ReportAnswer; readonly after: ReportAnswer }) => {
  const differences = differencesOf(before, after);
  return (
    <>
      <h2>
        Against the run of <When at={before.started_at} />
      </h2>
      {differences.length === 0 && <p class="empty">Every case has the same verdict in both.</p>}
      <ul>
        {differences.map(one => (
          <li key={one.id}>
            {one.title} <code class="quiet">{one.id}</code>: {one.before ?? 'not in it'}, now{' '}
            <strong>{one.after ?? 'not in it'}</strong>
          </li>
        ))}
      </ul>
    </>
  );
};

interface Names {
  readonly w: string;
  readonly c: string;
  readonly t: string;
}

const Comparison = ({
  names,
  before,
  after,
}: {
  readonly names: Names;
  readonly before: string;
  readonly after: ReportAnswer;
}) => {
  const loading = useCall('check.show', { names: { ...names, t: before } });
  return <Loaded loading={loading}>{report => <Compared before={report} after={after} />}</Loaded>;
};

const totalsWords = ({ totals }: ReportAnswer): string =>
  Object.entries(totals)
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(', ');

const versionWords = ({ versions: { bus, som, library } }: ReportAnswer): string =>
  `som-bus ${bus}, SOM ${som}, skill library ${library}`;

/** Chooses another run of the same kind to compare with; the address keeps the choice. */
const OtherRun = ({ names, report }: { readonly names: Names; readonly report: ReportAnswer }) => {
  const loading = useCall('check.list', { names: { w: names.w, c: names.c } });
  const others = (loading.value?.runs ?? []).filter(
    ({ run_id, kind }) => run_id !== names.t && kind === report.kind,
  );
  const id = useId();
  if (others.length === 0) return null;
  return (
    <p class="labelled">
      <label for={id}>Compare with the run of</label>
      <select
        id={id}
        value={filters.value.get('before') ?? ''}
        onInput={event => setFilters({ before: event.currentTarget.value })}
      >
        <option value="">none</option>
        {others.map(({ run_id, started_at, status }) => (
          <option key={run_id} value={run_id}>
            {started_at.slice(0, 16).replace('T', ' ')} UTC, {status}
          </option>
        ))}
      </select>
    </p>
  );
};

const Stop = ({ names, again }: { readonly names: Names; again(): void }) => {
  const action = useAction('check.stop', 'The run stops.');
  const stop = async () => {
    await action.run({ names: { ...names } });
    again();
  };
  return (
    <>
      <Confirmed
        button="Stop the run"
        isMild
        question="Stop this run? What is decided stays in its report."
        run={() => void stop()}
      />
      {action.failure && <Trouble failure={action.failure} />}
    </>
  );
};

const Shown = ({
  names,
  report,
  again,
}: {
  readonly names: Names;
  readonly report: ReportAnswer;
  again(): void;
}) => {
  const before = filters.value.get('before') ?? '';
  return (
    <>
      <Facts
        facts={[
          ['State', <Badge tone={runTones[report.status]}>{report.status}</Badge>],
          ['Cases', <span aria-live="polite">{totalsWords(report)}</span>],
          ['Suite', report.suite],
          ['Versions', versionWords(report)],
          ['Started', <When at={report.started_at} />],
          ...(report.ended_at === undefined ? [] : [['Ended', <When at={report.ended_at} />] as const]),
          [
            'Connections',
            report.connections.map(({ connection_id: id }) => <ConnectionName key={id} id={id} />),
          ],
        ]}
      />
      {report.reason && <p class="notice">{report.reason}</p>}
      {report.words.map(words => (
        <p key={words}>{words}</p>
      ))}
      {report.status === 'running' ? <Stop names={names} again={again} /> : <SaveReport report={report} />}
      {report.notes.length > 0 && (
        <>
          <h2>Notes</h2>
          <ul>
            {report.notes.map(one => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </>
      )}
      {report.status !== 'running' && <OtherRun names={names} report={report} />}
      {before !== '' && <Comparison key={before} names={names} before={before} after={report} />}
      <h2>Cases</h2>
      <ul class="plain-list cases">
        {report.cases.map(one => (
          <Case key={keyOf(one)} w={names.w} one={one} />
        ))}
      </ul>
      {report.coverage && <Coverage coverage={report.coverage} />}
    </>
  );
};

/** A run while it goes on, and its report. */
export const RunPage = ({ names: { w, c, t } }: { readonly names: Names }) => {
  const names = { w, c, t };
  const loading = useCall('check.show', { names });
  const known = useCall('workspace.show', { names: { w } });
  const isRunning = loading.value?.status === 'running';
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') loading.again();
    }, everyMilliseconds);
    return () => clearInterval(timer);
  }, [isRunning]);
  return (
    <Page title="Test run">
      <p class="actions">
        <a href={addressOf('runs', { w, c })}>All runs of this connection</a>
      </p>
      <KnownConnections.Provider value={known.value?.connections ?? []}>
        <Loaded loading={loading}>
          {report => <Shown names={names} report={report} again={loading.again} />}
        </Loaded>
      </KnownConnections.Provider>
    </Page>
  );
};

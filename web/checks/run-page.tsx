import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import { useState } from 'react';
import type { CaseResponse, CaseVerdict, ReportResponse } from '../../lib/contract/checks.ts';
import { call } from '../page/call.ts';
import { useValue } from '../page/cell.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Confirm, useDoing } from '../page/doing.tsx';
import { Page } from '../page/layout.tsx';
import { filters, urlOf } from '../page/location.ts';
import { ConnectionName } from '../page/names.tsx';
import { When } from '../page/time.tsx';
import { keyOf } from './compare.ts';
import { Comparison, OtherRun } from './comparison.tsx';
import { Coverage } from './coverage.tsx';
import { runIndicators } from './runs-page.tsx';
import { reportForms, saveReport } from './save-report.ts';

const verdictIndicators: Readonly<Record<CaseVerdict, StatusIndicatorProps.Type>> = {
  passed: 'success',
  failed: 'error',
  'not run': 'stopped',
  undecided: 'pending',
  'pending spec': 'pending',
};

/** How often a run that goes on is looked at. */
const everyMilliseconds = 2_500;

export interface RunNames {
  readonly w: string;
  readonly c: string;
  readonly t: string;
}

const Messages = ({ w, ids }: { readonly w: string; readonly ids: readonly string[] }) =>
  ids.length === 0 ? null : (
    <Box>
      Messages:{' '}
      {ids.map(id => (
        <a key={id} href={urlOf('message', { w, m: id })}>
          <code>{id.slice(0, 8)}</code>{' '}
        </a>
      ))}
    </Box>
  );

const Case = ({ w, one }: { readonly w: string; readonly one: CaseResponse }) => (
  <ExpandableSection
    defaultExpanded={one.verdict === 'failed'}
    headerText={
      <>
        <StatusIndicator type={verdictIndicators[one.verdict]}>{one.verdict}</StatusIndicator> {one.title}
      </>
    }
    headerDescription={keyOf(one)}
  >
    {one.reason && <Box>{one.reason}</Box>}
    {one.advice && <Box color="text-body-secondary">{one.advice}</Box>}
    <ul className="findings">
      {one.checks.map(({ name, passed, expected, found }) => (
        <li key={name}>
          <StatusIndicator type={passed ? 'success' : 'error'}>{name}</StatusIndicator>
          {!passed && (
            <Box>
              Expected {expected}; found {found}.
            </Box>
          )}
        </li>
      ))}
    </ul>
    <Messages w={w} ids={one.message_ids} />
  </ExpandableSection>
);

const totalsWords = ({ totals }: ReportResponse): string =>
  Object.entries(totals)
    .filter(([verdict, count]) => count > 0 || verdict !== 'undecided')
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(', ');

const Facts = ({ report }: { readonly report: ReportResponse }) => {
  const { bus, som, library } = report.versions;
  return (
    <Container>
      <KeyValuePairs
        columns={4}
        items={[
          {
            label: 'State',
            value: <StatusIndicator type={runIndicators[report.status]}>{report.status}</StatusIndicator>,
          },
          { label: 'Cases', value: <span aria-live="polite">{totalsWords(report)}</span> },
          { label: 'Suite', value: report.suite },
          { label: 'Versions', value: `som-bus ${bus}, SOM ${som}, skill library ${library}` },
          { label: 'Started', value: <When at={report.started_at} /> },
          ...(report.ended_at === undefined
            ? []
            : [{ label: 'Ended', value: <When at={report.ended_at} /> }]),
          {
            label: 'Connections',
            value: report.connections.map(({ connection_id: id }) => (
              <div key={id}>
                <ConnectionName id={id} />
              </div>
            )),
          },
        ]}
      />
    </Container>
  );
};

const Stop = ({ names, again }: { readonly names: RunNames; again(): void }) => {
  const doing = useDoing();
  return (
    <Confirm
      button="Stop run"
      title="Stop this run?"
      doing={doing}
      run={() => doing.run(() => call('check.stop', { names: { ...names } }), 'The run stops.', again)}
    >
      What is decided stays in its report.
    </Confirm>
  );
};

const Cases = ({ w, report }: { readonly w: string; readonly report: ReportResponse }) => {
  const [isAll, setAll] = useState(true);
  const failed = report.cases.filter(({ verdict }) => verdict === 'failed');
  return (
    <Container
      header={
        <Header
          variant="h2"
          counter={`(${report.cases.length})`}
          actions={
            failed.length > 0 && (
              <Button onClick={() => setAll(!isAll)}>
                {isAll ? `Only the ${failed.length} failed` : 'All cases'}
              </Button>
            )
          }
        >
          Cases
        </Header>
      }
    >
      {(isAll ? report.cases : failed).map(one => (
        <Case key={keyOf(one)} w={w} one={one} />
      ))}
    </Container>
  );
};

const Shown = ({ names, report }: { readonly names: RunNames; readonly report: ReportResponse }) => {
  const before = useValue(filters).get('before') ?? '';
  return (
    <>
      <Facts report={report} />
      {report.reason && <Alert type="warning">{report.reason}</Alert>}
      {[...report.words, ...report.notes].map(words => (
        <Box key={words}>{words}</Box>
      ))}
      {report.status !== 'running' && <OtherRun names={names} report={report} />}
      {before !== '' && <Comparison key={before} names={names} before={before} after={report} />}
      <Cases w={names.w} report={report} />
      {report.coverage && <Coverage coverage={report.coverage} />}
    </>
  );
};

/** A run while it goes on, and its report. */
export const RunPage = ({ names: { w, c, t } }: { readonly names: RunNames }) => {
  const names = { w, c, t };
  const [isRunning, setRunning] = useState(true);
  const loading = useCall('check.show', { names }, isRunning ? everyMilliseconds : undefined);
  const report = loading.value;
  const runs = report === undefined ? isRunning : report.status === 'running';
  if (runs !== isRunning) setRunning(runs);
  return (
    <Page
      title="Test run"
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          <Button href={urlOf('runs', { w, c })}>All runs</Button>
          {report?.status === 'running' && <Stop names={names} again={loading.again} />}
          {report && report.status !== 'running' && (
            <ButtonDropdown
              variant="primary"
              ariaLabel="Other forms of the report"
              mainAction={{ text: 'Download report', onClick: () => void saveReport(report, 'html') }}
              items={reportForms.map(({ file, name }) => ({ id: file, text: name }))}
              onItemClick={({ detail }) => void saveReport(report, detail.id)}
            />
          )}
        </SpaceBetween>
      }
    >
      <Loaded loading={loading}>{value => <Shown names={names} report={value} />}</Loaded>
    </Page>
  );
};

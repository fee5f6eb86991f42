import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator, {
  type StatusIndicatorProps,
} from '@cloudscape-design/components/status-indicator';
import { useState } from 'react';
import type {
  CaseReport,
  CaseVerdict,
  CoverageReport,
  ReportResponse,
} from '../../lib/contract/portal/checks.ts';
import { call } from '../page/call.ts';
import { useCall } from '../page/data.tsx';
import { Confirm } from '../page/doing.tsx';
import { Facts, Page, Section, State } from '../page/layout.tsx';
import { List } from '../page/list.tsx';
import { urlOf } from '../page/location.ts';
import { ConnectionName, useAppName } from '../page/names.tsx';
import { When } from '../page/time.tsx';
import { caseGroups } from './case-groups.ts';
import { keyOf } from './compare.ts';
import { Comparison, type RunNames } from './comparison.tsx';
import { reportForms } from './report-files.ts';
import { runLook } from './run-look.ts';
import { saveReport } from './save-report.ts';

const verdictIndicators: Readonly<Record<CaseVerdict, StatusIndicatorProps.Type>> = {
  passed: 'success',
  failed: 'error',
  'not run': 'stopped',
  undecided: 'pending',
  'not applicable': 'stopped',
  'pending spec': 'pending',
};

type CoverageRow = CoverageReport['rows'][number];

/** How often a run that goes on is looked at. */
const everyMilliseconds = 2_500;

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

const Case = ({ w, one }: { readonly w: string; readonly one: CaseReport }) => (
  <ExpandableSection
    defaultExpanded={one.verdict === 'failed'}
    headerText={
      <>
        <StatusIndicator type={verdictIndicators[one.verdict]}>{one.verdict}</StatusIndicator>{' '}
        {one.title}
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
    .filter(([verdict, count]) => count > 0 || verdict === 'passed' || verdict === 'failed')
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(', ');

const RunFacts = ({ report }: { readonly report: ReportResponse }) => {
  const { status, suite, versions, started_at: start, ended_at: end } = report;
  return (
    <Container>
      <Facts
        of={[
          ['State', <State key="state" of={runLook(status)} />],
          [
            'Cases',
            <span key="cases" aria-live="polite">
              {totalsWords(report)}
            </span>,
          ],
          report.role !== undefined && ['Role', report.role],
          report.unproven.length > 0 && ['Not proved yet', report.unproven.join(', ')],
          ['Suite', suite],
          [
            'Versions',
            `som-bus ${versions.bus}, SOM ${versions.som}, skill library ${versions.library}`,
          ],
          ['Started', <When key="start" at={start} />],
          end !== undefined && ['Ended', <When key="end" at={end} />],
          [
            'Connections',
            report.connections.map(({ connection_id: id }) => (
              <div key={id}>
                <ConnectionName id={id} />
              </div>
            )),
          ],
        ]}
      />
    </Container>
  );
};

const isOpen = ({ seen, values_missing }: CoverageRow) =>
  !seen || (values_missing?.length ?? 0) > 0;

/** How much of SOM 1.0 a producer has used: first what it has not. */
const Coverage = ({ coverage: { percent, rows } }: { readonly coverage: CoverageReport }) => (
  <ExpandableSection
    variant="container"
    headerText={`Coverage of SOM 1.0: ${percent} %`}
    headerDescription={
      `${rows.filter(isOpen).length} of ${rows.length} members were not seen, ` +
      'or not with all their values'
    }
  >
    <List
      isEmbedded
      items={[...rows.filter(isOpen), ...rows.filter(row => !isOpen(row))]}
      columns={[
        ['Message type', row => <code>{row.message_type}</code>],
        ['Member', row => <code>{row.member}</code>, { isRowHeader: true }],
        ['In SOM', row => (row.required ? 'required' : 'optional')],
        ['Seen', ({ seen }) => <State of={seen ? ['success', 'seen'] : ['stopped', 'not seen']} />],
        ['Values not seen', row => row.values_missing?.join(', ') ?? ''],
      ]}
      more={{ ariaLabels: { tableLabel: 'Members of SOM 1.0, unseen first' } }}
    />
  </ExpandableSection>
);

const Cases = ({ w, report }: { readonly w: string; readonly report: ReportResponse }) => {
  const [isAll, setAll] = useState(true);
  const failed = report.cases.filter(({ verdict }) => verdict === 'failed');
  return (
    <Section
      title="Cases"
      counter={`(${report.cases.length})`}
      actions={
        failed.length > 0 && (
          <Button onClick={() => setAll(!isAll)}>
            {isAll ? `Only the ${failed.length} failed` : 'All cases'}
          </Button>
        )
      }
    >
      {caseGroups(isAll ? report.cases : failed).map(({ title, cases }) => (
        <div key={title}>
          <Box variant="h3">
            {title} ({cases.length})
          </Box>
          {cases.map(one => (
            <Case key={keyOf(one)} w={w} one={one} />
          ))}
        </div>
      ))}
    </Section>
  );
};

const Shown = ({
  names,
  report,
}: {
  readonly names: RunNames;
  readonly report: ReportResponse;
}) => (
  <>
    <RunFacts report={report} />
    {report.reason && <Alert type="warning">{report.reason}</Alert>}
    {[...report.words, ...report.notes].map(words => (
      <Box key={words}>{words}</Box>
    ))}
    {report.status !== 'running' && <Comparison names={names} report={report} />}
    <Cases w={names.w} report={report} />
    {report.coverage && <Coverage coverage={report.coverage} />}
  </>
);

/** A run while it goes on, and its report. */
export const RunPage = ({ names: { w, c, t } }: { readonly names: RunNames }) => {
  const names = { w, c, t };
  const [isRunning, setRunning] = useState(true);
  const loading = useCall('check.show', { names }, isRunning ? everyMilliseconds : undefined);
  const app = useAppName(c);
  const report = loading.value;
  const runs = report === undefined ? isRunning : report.status === 'running';
  if (runs !== isRunning) setRunning(runs);
  return (
    <Page
      title={app === undefined ? 'Test run' : `Test run of ${app}`}
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          <Button href={urlOf('runs', { w, c })}>All runs</Button>
          {report?.status === 'running' && (
            <Confirm
              button="Stop run"
              title="Stop run"
              send={() => call('check.stop', { names })}
              done="The run is stopping."
              after={loading.again}
            >
              Verdicts so far stay in its report.
            </Confirm>
          )}
          {report && report.status !== 'running' && (
            <ButtonDropdown
              variant="primary"
              ariaLabel="Other report formats"
              mainAction={{
                text: 'Download report',
                onClick: () => void saveReport(report, 'html'),
              }}
              items={reportForms.map(({ file, name }) => ({ id: file, text: name }))}
              onItemClick={({ detail }) => void saveReport(report, detail.id)}
            />
          )}
        </SpaceBetween>
      }
      loading={loading}
    >
      {value => <Shown names={names} report={value} />}
    </Page>
  );
};

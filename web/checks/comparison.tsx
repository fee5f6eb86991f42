import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Select from '@cloudscape-design/components/select';
import type { ReportResponse } from '../../lib/contract/checks.ts';
import { useValue } from '../page/cell.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { filters, setFilters } from '../page/location.ts';
import { zone } from '../page/preferences.ts';
import { timeText, When } from '../page/time.tsx';
import { differencesOf } from './compare.ts';
import type { RunNames } from './run-page.tsx';

const Compared = ({ before, after }: { readonly before: ReportResponse; readonly after: ReportResponse }) => {
  const differences = differencesOf(before, after);
  return (
    <Container
      header={
        <Header variant="h2">
          Against the run of <When at={before.started_at} />
        </Header>
      }
    >
      {differences.length === 0 && <Box>Every case has the same verdict in both.</Box>}
      <ul className="findings">
        {differences.map(one => (
          <li key={one.id}>
            {one.title} <code>{one.id}</code>: {one.before ?? 'not in it'}, now{' '}
            <strong>{one.after ?? 'not in it'}</strong>
          </li>
        ))}
      </ul>
    </Container>
  );
};

/** What differs between two runs of a connection. */
export const Comparison = ({
  names,
  before,
  after,
}: {
  readonly names: RunNames;
  readonly before: string;
  readonly after: ReportResponse;
}) => {
  const loading = useCall('check.show', { names: { ...names, t: before } });
  return <Loaded loading={loading}>{report => <Compared before={report} after={after} />}</Loaded>;
};

const none = { value: '', label: 'none' };

/** Chooses another run of the same kind to compare with; the URL keeps the choice. */
export const OtherRun = ({
  names: { w, c, t },
  report,
}: {
  readonly names: RunNames;
  readonly report: ReportResponse;
}) => {
  const loading = useCall('check.list', { names: { w, c } });
  const [chosen, shown] = [useValue(filters).get('before') ?? '', useValue(zone)];
  const others = (loading.value?.runs ?? [])
    .filter(({ run_id, kind }) => run_id !== t && kind === report.kind)
    .map(({ run_id, started_at, status }) => ({
      value: run_id,
      label: `${timeText(started_at, shown)}, ${status}`,
    }));
  if (others.length === 0) return null;
  return (
    <div className="narrow">
      <FormField label="Compare with the run of">
        <Select
          selectedOption={others.find(({ value }) => value === chosen) ?? none}
          options={[none, ...others]}
          onChange={({ detail }) => setFilters({ before: detail.selectedOption.value ?? '' })}
        />
      </FormField>
    </div>
  );
};

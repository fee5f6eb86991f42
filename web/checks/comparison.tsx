import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import type { ReportResponse } from '../../lib/contract/portal/checks.ts';
import { useValue } from '../page/cell.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Choice } from '../page/form.tsx';
import { filters, setFilters } from '../page/location.ts';
import { zone } from '../page/preferences.ts';
import { timeText, When } from '../page/time.tsx';
import { differencesOf } from './compare.ts';

/** Of a workspace, a connection and its run. */
export interface RunNames {
  readonly w: string;
  readonly c: string;
  readonly t: string;
}

const Compared = ({
  before,
  after,
}: {
  readonly before: ReportResponse;
  readonly after: ReportResponse;
}) => {
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

const Difference = ({
  names,
  after,
}: {
  readonly names: RunNames;
  readonly after: ReportResponse;
}) => {
  const loading = useCall('check.show', { names: { ...names } });
  return <Loaded loading={loading}>{before => <Compared before={before} after={after} />}</Loaded>;
};

/**
 * What differs from another run of the same kind, which the reader chooses; the URL keeps the
 * choice.
 */
export const Comparison = ({
  names,
  report,
}: {
  readonly names: RunNames;
  readonly report: ReportResponse;
}) => {
  const { w, c, t } = names;
  const { value } = useCall('check.list', { names: { w, c } });
  const chosen = useValue(filters).get('before') ?? '';
  const shown = useValue(zone);
  const others = (value?.runs ?? [])
    .filter(({ run_id, kind }) => run_id !== t && kind === report.kind)
    .map(one => ({
      value: one.run_id,
      label: `${timeText(one.started_at, shown)}, ${one.status}`,
    }));
  return (
    <>
      {others.length > 0 && (
        <div className="narrow">
          <FormField label="Compare with the run of">
            <Choice
              value={chosen}
              options={[{ value: '', label: 'none' }, ...others]}
              change={before => setFilters({ before })}
            />
          </FormField>
        </div>
      )}
      {chosen !== '' && <Difference key={chosen} names={{ w, c, t: chosen }} after={report} />}
    </>
  );
};

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import { Suspense, useEffect, useState } from 'react';
import {
  type OverviewResponse,
  type VolumeResponse,
  volumeRanges,
} from '../../lib/contract/portal/overview-responses.ts';
import type { CallParameters } from '../page/call.ts';
import { useValue } from '../page/cell.ts';
import { Loaded, Trouble, useCall, Waiting } from '../page/data.tsx';
import { Page } from '../page/layout.tsx';
import { lazyPart } from '../page/lazy-part.ts';
import { filters, setFilters, urlOf } from '../page/location.ts';
import { isOperator } from '../page/session.ts';
import {
  type OpenWorkspace,
  type OwnOrganisation,
  organisations,
  workspace,
} from '../page/workspaces.ts';
import { FirstSteps } from './first-steps.tsx';
import { Numbers } from './numbers.tsx';
import { Troubles, useEndingSecrets } from './troubles.tsx';

/** What comes after the first paint. */
const SegmentedControl = lazyPart(
  async () => (await import('@cloudscape-design/components/segmented-control')).default,
  'later',
);
const Charts = lazyPart(async () => (await import('./charts.tsx')).Charts, 'later');
const ConnectionTables = lazyPart(
  async () => (await import('./connection-tables.tsx')).ConnectionTables,
  'later',
);
const LastRun = lazyPart(async () => (await import('./last-run.tsx')).LastRun, 'later');
const AskForOrganisation = lazyPart(
  async () => (await import('./request.tsx')).AskForOrganisation,
  'later',
);

const NewHouse = lazyPart(async () => (await import('./new-house.tsx')).NewHouse);

/** How often the numbers are read while somebody sees the page. */
const overviewMilliseconds = 5_000;
const volumeMilliseconds = 30_000;

const rangeWords = { hour: 'Last hour', day: 'Last day', week: 'Last week' } as const;

const RangeChoice = ({ range }: { readonly range: VolumeResponse['range'] }) => (
  <SegmentedControl
    label="Time range"
    selectedId={range}
    options={volumeRanges.map(id => ({ id, text: rangeWords[id] }))}
    onChange={({ detail }) =>
      setFilters({ range: detail.selectedId === 'hour' ? '' : detail.selectedId })
    }
  />
);

/** Organisations that wait for the operator. */
const Requests = () => {
  const { value } = useCall('operator.organisations');
  const count = value?.organisations.filter(({ status }) => status === 'requested').length ?? 0;
  if (count === 0) return null;
  return (
    <Alert type="info" action={<Button href={urlOf('operator')}>Decide</Button>}>
      {count === 1 ? 'An organisation is' : `${count} organisations are`} waiting for approval.
    </Alert>
  );
};

/** The paging, the order and the search of both lists stand in the URL. */
const overviewFilters = [
  'find',
  'consumers_after',
  'consumers_sort',
  'producers_after',
  'producers_sort',
];

const askedIn = (given: URLSearchParams): Readonly<Record<string, string>> =>
  Object.fromEntries(overviewFilters.map(name => [name, given.get(name) ?? '']));

interface AskingProps {
  readonly w: string;
  readonly query: NonNullable<CallParameters['query']>;
  show(found: OverviewResponse): void;
}

/** Asks for another page of the lists, or for what is looked for. */
const Asking = ({ w, query, show }: AskingProps) => {
  const asked = { names: { w }, query };
  const { value, failure, again } = useCall('workspace.overview', asked, overviewMilliseconds);
  useEffect(() => {
    if (value) show(value);
  }, [value, show]);
  return failure ? <Trouble failure={failure} again={again} /> : null;
};

/** The lists; their first page is known. */
const Listed = ({ w, first }: { readonly w: string; readonly first: OverviewResponse }) => {
  const query = askedIn(useValue(filters));
  const [other, setOther] = useState<OverviewResponse | undefined>(undefined);
  const isFirst = Object.values(query).every(value => value === '');
  return (
    <>
      {!isFirst && <Asking w={w} query={query} show={setOther} />}
      <ConnectionTables w={w} found={isFirst ? first : (other ?? first)} />
    </>
  );
};

const WorkspaceOverview = ({
  place: { id: w, name, isGuest, organisation },
}: {
  readonly place: OpenWorkspace;
}) => {
  const given = useValue(filters);
  const range = volumeRanges.find(one => one === given.get('range')) ?? 'hour';
  const overview = useCall('workspace.overview', { names: { w } }, overviewMilliseconds);
  const endings = useEndingSecrets(w);
  const volume = useCall(
    'workspace.volume',
    { names: { w }, query: { range } },
    volumeMilliseconds,
  );
  return (
    <Page
      title="Overview"
      lead={isGuest ? `${name}: you are invited here, and see what your own connections do.` : name}
      actions={
        <Suspense>
          <RangeChoice range={range} />
        </Suspense>
      }
    >
      {useValue(isOperator) && <Requests />}
      <Loaded loading={overview}>
        {found => (
          <>
            <Numbers
              totals={found.totals}
              volume={volume.value}
              words={rangeWords[range].toLowerCase()}
              isSuspended={organisation.status === 'suspended'}
              endings={endings.length}
            />
            <Troubles w={w} found={found} organisation={organisation} endings={endings} />
            <Suspense>
              <LastRun w={w} />
            </Suspense>
            <FirstSteps w={w} found={found} />
            {volume.failure && <Trouble failure={volume.failure} again={volume.again} />}
            {volume.value?.is_complete === false && (
              <Box color="text-body-secondary">
                Some days are still being added up. They will appear here by themselves.
              </Box>
            )}
            {volume.value && (
              <Suspense fallback={<Waiting />}>
                <Charts volume={volume.value} />
              </Suspense>
            )}
            <Suspense fallback={<Waiting />}>
              <Listed w={w} first={found} />
            </Suspense>
          </>
        )}
      </Loaded>
    </Page>
  );
};

/** For somebody whose organisations have no workspace yet. */
const NoWorkspace = ({ known }: { readonly known: readonly OwnOrganisation[] }) => (
  <Page
    title="Welcome to som-bus"
    lead="Connections and messages belong to a workspace, and there is none yet."
  >
    {useValue(isOperator) && <Requests />}
    <Suspense fallback={<Waiting />}>
      {known.map(organisation => (
        <NewHouse key={organisation.organisation_id} organisation={organisation} />
      ))}
    </Suspense>
  </Page>
);

/** The first page: whether everything is well. */
export const HomePage = () => {
  const known = useValue(organisations);
  const place = useValue(workspace);
  if (known === undefined) return <Waiting />;
  if (place) return <WorkspaceOverview key={place.id} place={place} />;
  if (known.length > 0) return <NoWorkspace known={known} />;
  return (
    <Page title="Welcome to som-bus" lead="You belong to no organisation yet.">
      {isOperator.value && <Requests />}
      <AskForOrganisation />
    </Page>
  );
};

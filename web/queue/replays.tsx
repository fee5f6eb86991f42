import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Container from '@cloudscape-design/components/container';
import DateRangePicker, { type DateRangePickerProps } from '@cloudscape-design/components/date-range-picker';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import ProgressBar from '@cloudscape-design/components/progress-bar';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table from '@cloudscape-design/components/table';
import { useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import type { ReplayResponse } from '../../lib/contract/work-responses.ts';
import { call } from '../page/call.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { useDoing } from '../page/doing.tsx';
import { timesOf } from '../page/range.ts';
import { When } from '../page/time.tsx';
import type { QueueNames } from './queue-page.tsx';

const indicators = {
  running: 'in-progress',
  finished: 'success',
  cancelled: 'stopped',
  failed: 'error',
} as const;

/** How often the progress of the replays is asked for. */
const everyMilliseconds = 2_500;

const Progress = ({
  names,
  replay,
  mayCancel,
  again,
}: {
  readonly names: QueueNames;
  readonly replay: ReplayResponse;
  readonly mayCancel: boolean;
  again(): void;
}) => {
  const doing = useDoing();
  const cancel = () =>
    doing.run(
      () => call('queue.cancelReplay', { names: { ...names, y: replay.replay_id } }),
      'The replay is cancelled.',
      again,
    );
  return (
    <>
      <StatusIndicator type={indicators[replay.status]}>{replay.status}</StatusIndicator>
      {replay.status === 'running' && (
        <>
          <ProgressBar value={replay.percent} ariaLabel="Progress of the replay" />
          {mayCancel && (
            <Button variant="inline-link" loading={doing.isBusy} onClick={() => void cancel()}>
              Cancel
            </Button>
          )}
        </>
      )}
      {(replay.problem ?? replay.reason) && <div>{replay.problem ?? replay.reason}</div>}
      {replay.waiting_for && (
        <div>{replay.waiting_for.length} stories wait until their own messages are sent.</div>
      )}
      {doing.trouble}
    </>
  );
};

const isNothing = ({ messages, counted_until }: ResponseOf<'queue.countReplay'>): boolean =>
  messages === 0 && counted_until === undefined;

const countedWords = ({ messages, counted_until }: ResponseOf<'queue.countReplay'>): string => {
  const many = `${messages} ${messages === 1 ? 'message' : 'messages'}`;
  return counted_until === undefined
    ? `It would send ${many}.`
    : `It would send at least ${many}: the bus stopped counting at ${counted_until}, before the end.`;
};

const lastHour: DateRangePickerProps.Value = { key: 'hour', type: 'relative', amount: 1, unit: 'hour' };

const relative: DateRangePickerProps['relativeOptions'] = [
  { key: 'ten minutes', amount: 10, unit: 'minute', type: 'relative' },
  { key: 'hour', amount: 1, unit: 'hour', type: 'relative' },
  { key: 'day', amount: 1, unit: 'day', type: 'relative' },
];

interface Asked {
  readonly range: DateRangePickerProps.Value;
  readonly type: string;
  readonly correlation: string;
}

const Fields = ({ asked, edit }: { readonly asked: Asked; edit(part: Partial<Asked>): void }) => (
  <ColumnLayout columns={3}>
    <FormField label="Accepted">
      <DateRangePicker
        value={asked.range}
        relativeOptions={relative}
        isValidRange={range =>
          range === null ? { valid: false, errorMessage: 'Choose times.' } : { valid: true }
        }
        showClearButton={false}
        expandToViewport
        onChange={({ detail }) => detail.value && edit({ range: detail.value })}
      />
    </FormField>
    <FormField label="Only this type, or family.* (optional)">
      <Input value={asked.type} onChange={({ detail }) => edit({ type: detail.value })} />
    </FormField>
    <FormField label="Only this story, by its correlation_id (optional)">
      <Input value={asked.correlation} onChange={({ detail }) => edit({ correlation: detail.value })} />
    </FormField>
  </ColumnLayout>
);

const StartForm = ({ names, onStarted }: { readonly names: QueueNames; onStarted(): void }) => {
  const [asked, setAsked] = useState<Asked>({ range: lastHour, type: '', correlation: '' });
  const [counted, setCounted] = useState<
    (ResponseOf<'queue.countReplay'> & { readonly body: object }) | undefined
  >(undefined);
  const doing = useDoing();
  const edit = (part: Partial<Asked>) => {
    setAsked({ ...asked, ...part });
    setCounted(undefined);
  };
  const count = () => {
    const body = {
      ...timesOf(asked.range, Date.now()),
      type: asked.type,
      correlation_id: asked.correlation,
    };
    return doing.run(
      () => call('queue.countReplay', { names: { ...names }, body }),
      undefined,
      response => setCounted({ ...response, body }),
    );
  };
  const start = () =>
    doing.run(
      () => call('queue.startReplay', { names: { ...names }, body: counted?.body ?? {} }),
      'The replay has started.',
      () => {
        setCounted(undefined);
        onStarted();
      },
    );
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        void count();
      }}
    >
      <SpaceBetween size="m">
        <Fields asked={asked} edit={edit} />
        <div role="status">{counted && <Box>{countedWords(counted)}</Box>}</div>
        {doing.trouble}
        <SpaceBetween direction="horizontal" size="xs">
          <Button formAction="submit" loading={doing.isBusy}>
            Count first
          </Button>
          <Button
            variant="primary"
            formAction="none"
            disabled={!counted || isNothing(counted)}
            onClick={() => void start()}
          >
            Start replay
          </Button>
        </SpaceBetween>
      </SpaceBetween>
    </form>
  );
};

/** The replays to a consumer, and a new one: it is counted before it starts. */
export const Replays = ({
  names,
  mayReplay,
}: {
  readonly names: QueueNames;
  readonly mayReplay: boolean;
}) => {
  const [isRunning, setRunning] = useState(false);
  const loading = useCall(
    'queue.replays',
    { names: { ...names } },
    isRunning ? everyMilliseconds : undefined,
  );
  const runs = loading.value?.replays.some(({ status }) => status === 'running') ?? isRunning;
  if (runs !== isRunning) setRunning(runs);
  return (
    <>
      {mayReplay && (
        <Container
          header={
            <Header
              variant="h2"
              description="A replay sends archived messages to this consumer again; others get nothing."
            >
              Replay
            </Header>
          }
        >
          <StartForm names={names} onStarted={loading.again} />
        </Container>
      )}
      <Loaded loading={loading}>
        {({ replays }) => (
          <Table
            contentDensity="compact"
            header={<Header variant="h2">Replays</Header>}
            items={replays}
            trackBy="replay_id"
            empty={<Box>There were no replays to this consumer in the last 90 days.</Box>}
            columnDefinitions={[
              {
                id: 'range',
                header: 'Accepted',
                isRowHeader: true,
                cell: one => (
                  <>
                    <When at={one.from} /> to <When at={one.to} />
                  </>
                ),
              },
              { id: 'what', header: 'Only', cell: one => one.type ?? one.correlation_id ?? 'everything' },
              { id: 'sent', header: 'Sent', cell: one => one.sent },
              {
                id: 'state',
                header: 'State',
                cell: one => (
                  <Progress names={names} replay={one} mayCancel={mayReplay} again={loading.again} />
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </>
  );
};

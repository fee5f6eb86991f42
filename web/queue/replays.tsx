import Box from '@cloudscape-design/components/box';
import DateRangePicker, {
  type DateRangePickerProps,
} from '@cloudscape-design/components/date-range-picker';
import FormField from '@cloudscape-design/components/form-field';
import ProgressBar from '@cloudscape-design/components/progress-bar';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useRef, useState } from 'react';
import { messageTypes } from '../../lib/contract/message-types.ts';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { ReplayResponse } from '../../lib/contract/portal/work-responses.ts';
import { call } from '../page/call.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Act, workOf } from '../page/doing.tsx';
import { Form } from '../page/form.tsx';
import { Section, State } from '../page/layout.tsx';
import { List } from '../page/list.tsx';
import { filters } from '../page/location.ts';
import { timesOf } from '../page/range.ts';
import { When } from '../page/time.tsx';

/** Of a workspace and a consumer in it. */
export interface QueueNames {
  readonly w: string;
  readonly c: string;
}

const indicators = {
  running: 'in-progress',
  finished: 'success',
  cancelled: 'stopped',
  failed: 'error',
} as const;

/** How often the progress of the replays is asked for. */
const everyMilliseconds = 2_500;

interface ProgressProps {
  readonly names: QueueNames;
  readonly replay: ReplayResponse;
  readonly mayCancel: boolean;
  again(): void;
}

const Progress = ({ names, replay, mayCancel, again }: ProgressProps) => (
  <>
    <State of={[indicators[replay.status], replay.status]} />
    {replay.status === 'running' && (
      <>
        <ProgressBar value={replay.percent} ariaLabel="Progress of the replay" />
        {mayCancel && (
          <Act
            button="Cancel"
            variant="inline-link"
            send={() => call('queue.cancelReplay', { names: { ...names, y: replay.replay_id } })}
            done="The replay was cancelled."
            after={again}
          />
        )}
      </>
    )}
    <div>{replay.problem ?? replay.reason}</div>
    {replay.waiting_for && (
      <div>{replay.waiting_for.length} stories wait until their own messages are sent.</div>
    )}
  </>
);

const isNothing = ({ messages, counted_until }: ResponseOf<'queue.countReplay'>): boolean =>
  messages === 0 && counted_until === undefined;

const countedWords = ({
  messages,
  counted_until,
  note,
}: ResponseOf<'queue.countReplay'>): string => {
  const many = messages === 1 ? '1 message' : `${messages} messages`;
  const whole = `It would send ${many}.`;
  const part =
    `It would send at least ${many}: the bus stopped counting at ${counted_until}, ` +
    'before the end.';
  const words = counted_until === undefined ? whole : part;
  return note === undefined ? words : `${note} ${words}`;
};

const lastHour: DateRangePickerProps.Value = {
  key: 'hour',
  type: 'relative',
  amount: 1,
  unit: 'hour',
};

const relative: DateRangePickerProps['relativeOptions'] = [
  { key: 'ten minutes', amount: 10, unit: 'minute', type: 'relative' },
  { key: 'hour', amount: 1, unit: 'hour', type: 'relative' },
  { key: 'day', amount: 1, unit: 'day', type: 'relative' },
];

const checkedRange: DateRangePickerProps.ValidationFunction = range =>
  range ? { valid: true } : { valid: false, errorMessage: 'Choose times.' };

interface TimesProps {
  readonly range: DateRangePickerProps.Value;
  change(range: DateRangePickerProps.Value): void;
}

const Times = ({ range, change }: TimesProps) => (
  <FormField label="Accepted">
    <DateRangePicker
      value={range}
      relativeOptions={relative}
      isValidRange={checkedRange}
      showClearButton={false}
      expandToViewport
      onChange={({ detail }) => detail.value && change(detail.value)}
    />
  </FormField>
);

const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text));

/** What a link to the form asks for: all that a consumer missed since a moment. */
const rangeAsked = (asked: URLSearchParams): DateRangePickerProps.Value => {
  const from = asked.get('from') ?? '';
  const to = asked.get('to') ?? '';
  if (!isTime(from)) return lastHour;
  const endDate = isTime(to) ? to : new Date().toISOString();
  return { type: 'absolute', startDate: from, endDate };
};

type Counted = ResponseOf<'queue.countReplay'> & { readonly body: object };

const StartForm = ({ names, onStarted }: { readonly names: QueueNames; onStarted(): void }) => {
  const [range, setRange] = useState<DateRangePickerProps.Value>(() => rangeAsked(filters.value));
  const [counted, setCounted] = useState<Counted | undefined>(undefined);
  const changes = useRef(0);
  // What was counted is what starts: a change has to be counted again, also while the count is
  // under way.
  const uncount = () => {
    changes.current += 1;
    setCounted(undefined);
  };
  return (
    <SpaceBetween size="m">
      <Form
        first={{ type: '', correlation_id: '' }}
        fields={() => [
          <Times
            key="times"
            range={range}
            change={next => {
              setRange(next);
              uncount();
            }}
          />,
          {
            name: 'type',
            label: 'Only this type (optional)',
            description: 'A message type, or a family such as story.*.',
            suggestions: messageTypes,
          },
          {
            name: 'correlation_id',
            label: 'Only this story (optional)',
            description: 'Its correlation_id, which the page of the story shows.',
          },
        ]}
        changed={(_draft, part) => {
          uncount();
          return part;
        }}
        button="Count first"
        work={draft => {
          const body = { ...timesOf(range, Date.now()), ...draft };
          const before = changes.current;
          return workOf({
            send: () => call('queue.countReplay', { names: { ...names }, body }),
            after: response => before === changes.current && setCounted({ ...response, body }),
          });
        }}
      />
      <div role="status">{counted && <Box>{countedWords(counted)}</Box>}</div>
      {counted && !isNothing(counted) && (
        <Act
          button="Start replay"
          variant="primary"
          send={() => call('queue.startReplay', { names: { ...names }, body: counted.body })}
          done="The replay has started."
          after={() => {
            uncount();
            onStarted();
          }}
        />
      )}
    </SpaceBetween>
  );
};

/** The times of a replay: of one message, they are a moment. */
const Between = ({ from, to }: ReplayResponse) => {
  const [first, last] = [from, to].map(at => Math.floor(Date.parse(at) / 1_000));
  if (first === last) return <When at={from} isExact />;
  return (
    <>
      <When at={from} /> to <When at={to} />
    </>
  );
};

/** What a replay sends of its time. */
const onlyOf = ({ type, correlation_id: story, message_id: message }: ReplayResponse): string => {
  const wanted: string[] = [];
  if (type !== undefined) wanted.push(type);
  if (message !== undefined) wanted.push(`the message ${message}`);
  if (story !== undefined) wanted.push(`the story ${story}`);
  return wanted.length === 0 ? 'everything' : wanted.join(', ');
};

interface ReplaysProps {
  readonly names: QueueNames;
  readonly mayReplay: boolean;
}

/** The replays to a consumer, and a new one: it is counted before it starts. */
export const Replays = ({ names, mayReplay }: ReplaysProps) => {
  const [isRunning, setRunning] = useState(false);
  const asked = { names: { ...names } };
  const loading = useCall('queue.replays', asked, isRunning ? everyMilliseconds : undefined);
  const runs = loading.value?.replays.some(({ status }) => status === 'running') ?? isRunning;
  if (runs !== isRunning) setRunning(runs);

  return (
    <>
      {mayReplay && (
        <Section
          title="Replay"
          description="A replay sends archived messages to this consumer again; other consumers get nothing."
        >
          <StartForm names={names} onStarted={loading.again} />
        </Section>
      )}
      <Loaded loading={loading}>
        {({ replays }) => (
          <List
            title="Replays"
            items={replays}
            of="replay_id"
            empty="There were no replays to this consumer in the last 90 days."
            columns={[
              ['Accepted', one => <Between {...one} />],
              [
                'Only',
                one => (
                  <div className="cut narrow-cut" title={onlyOf(one)}>
                    {onlyOf(one)}
                  </div>
                ),
              ],
              ['Sent', one => <div className="number">{one.sent.toLocaleString('en')}</div>],
              [
                'State',
                one => (
                  <Progress
                    names={names}
                    replay={one}
                    mayCancel={mayReplay}
                    again={loading.again}
                  />
                ),
              ],
            ]}
          />
        )}
      </Loaded>
    </>
  );
};

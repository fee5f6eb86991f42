import Box from '@cloudscape-design/components/box';
import type { ReactNode } from 'react';
import type {
  ConsumerLine,
  ProducerLine,
  VolumePoint,
} from '../../lib/contract/portal/overview-responses.ts';
import type { ActivityResponse } from '../../lib/contract/portal/portal-responses.ts';
import type { ConnectionDetail } from '../../lib/contract/portal/work-responses.ts';
import { kindWords } from '../activity/lines.ts';
import { useCall } from '../page/data.tsx';
import { type Fact, Facts, Section, State } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { shortened } from '../page/short-text.ts';
import { Ago, duration, When } from '../page/time.tsx';
import { told } from '../story/told.ts';
import { type ConnectionLine, stateOf } from './state.ts';
import { Traffic } from './traffic.tsx';
import '../page/people.css';

interface HomeProps {
  readonly w: string;
  readonly connection: ConnectionDetail;
}

/** How often the home of a connection is looked at while somebody sees it. */
const everyMilliseconds = 10_000;

const many = (count: number): string => count.toLocaleString('en');

const latencyWords = ({ p50_ms: half, p95_ms: most }: ConsumerLine['hour']): string => {
  if (half === undefined || most === undefined)
    return 'not known: nothing was acknowledged in the last hour';
  return `half within ${duration(half)}, 95 of 100 within ${duration(most)}`;
};

const agoOrNone = (at: string | undefined): ReactNode =>
  at === undefined ? 'none in the last day' : <Ago at={at} />;

/** What it does, in numbers with their times. */
const consumerFacts = (line: ConsumerLine): readonly (Fact | false)[] => [
  ['Waiting', line.waiting === undefined ? 'not known' : many(line.waiting)],
  line.oldest_seconds !== undefined && ['Oldest waits for', duration(line.oldest_seconds * 1_000)],
  ['Received in the last day', many(line.day.pulled)],
  ['Acknowledged', many(line.day.acknowledged)],
  ['Returned', many(line.day.released)],
  ['Accepted to acknowledged, last hour', latencyWords(line.hour)],
  ['Last pull', agoOrNone(line.last_pull_at)],
];

const producerFacts = (w: string, line: ProducerLine): readonly (Fact | false)[] => {
  const { connection_id: connection, day } = line;
  const lines = (kind: string) => urlOf('activity', { w }, { connection, kind });
  return [
    ['Accepted in the last day', many(day.accepted)],
    [
      'Refused',
      <a href={lines('refused')} key="refused">
        {many(day.refused)}
      </a>,
    ],
    [
      'Rate limited (429)',
      <a href={lines('limited')} key="limited">
        {many(day.limited)}
      </a>,
    ],
    ['Sent again', many(day.repeated)],
    ['Last message', agoOrNone(line.last_message_at)],
  ];
};

/** What a line of the activity says. */
const lineWords = ({ outcome, messages, rules = [], count }: ActivityResponse): string => {
  const [first] = messages;
  const type = first?.message_type ?? '';
  if (outcome) return told({ message_type: type, facts: outcome.facts }).title;
  if (rules.length > 0) return `${type}: ${rules.join(', ')}`;
  if (messages.length > 1) return `${messages.length} messages, the first a ${type}`;
  return type === '' ? `${count ?? 1} requests` : type;
};

const maxLines = 6;
const maxTitle = 90;

const LastLine = ({ w, line }: { readonly w: string; readonly line: ActivityResponse }) => {
  const words = lineWords(line);
  const id = line.messages[0]?.message_id;
  return (
    <li>
      <div className="line">
        <When at={line.at} />
        <span>{kindWords(line.kind)}</span>
        <span title={words}>
          {id === undefined ? (
            words
          ) : (
            <a href={urlOf('message', { w, m: id })}>{shortened(words, maxTitle)}</a>
          )}
        </span>
      </div>
    </li>
  );
};

interface LastLinesProps {
  readonly w: string;
  readonly lines: readonly ActivityResponse[];
}

const LastLines = ({ w, lines }: LastLinesProps) => (
  <ol className="people">
    {lines.slice(0, maxLines).map(line => (
      <LastLine key={line.position} w={w} line={line} />
    ))}
  </ol>
);

const none: readonly VolumePoint[] = [];

interface HalfProps {
  readonly w: string;
  readonly c: string;
  readonly kind: ConnectionDetail['kind'];
}

/** The state of a connection in a sentence, its day, and its numbers. */
const Condition = ({ w, c, kind }: HalfProps) => {
  const names = { w };
  const { value: overview } = useCall(
    'workspace.overview',
    { names, query: { find: c } },
    everyMilliseconds,
  );
  const volume = useCall('workspace.volume', { names, query: { range: 'day', connection: c } });
  const consumer = overview?.consumers.find(one => one.connection_id === c);
  const producer = overview?.producers.find(one => one.connection_id === c);
  const line: ConnectionLine | undefined = consumer ?? producer;
  return (
    <div className="stack">
      {line && (
        <Box fontSize="heading-m">
          <State of={stateOf(line)} />
        </Box>
      )}
      <Traffic points={volume.value?.points ?? none} kind={kind} />
      {consumer && <Facts columns={3} of={consumerFacts(consumer)} />}
      {producer && <Facts columns={3} of={producerFacts(w, producer)} />}
    </div>
  );
};

const lastWords = {
  producer: { title: 'Last messages', none: 'It has sent nothing in the last few days.' },
  consumer: { title: 'Latest activity', none: 'It has received nothing in the last few days.' },
} as const;

const LastActivity = ({ w, c, kind }: HalfProps) => {
  const view = kind === 'producer' ? { view: 'messages' } : {};
  // One page: its last lines.
  const query = { connection: c, before: '', ...view };
  const { value } = useCall('workspace.activity', { names: { w }, query });
  const lines = value?.activity.filter(one => one.kind !== 'changed') ?? [];
  const words = lastWords[kind];
  return (
    <div>
      <Box variant="h3" padding="n">
        {words.title}
      </Box>
      {value && lines.length === 0 && <Box color="text-body-secondary">{words.none}</Box>}
      <LastLines w={w} lines={lines} />
    </div>
  );
};

/** How a connection does: its state in a sentence, its day, its last messages. */
export const Home = ({ w, connection }: HomeProps) => {
  const { connection_id: c, kind } = connection;
  return (
    <Section
      title="How it is doing"
      actions={<a href={urlOf('activity', { w }, { connection: c })}>All its activity</a>}
    >
      <div className="halves">
        <Condition w={w} c={c} kind={kind} />
        <LastActivity w={w} c={c} kind={kind} />
      </div>
    </Section>
  );
};

import Box from '@cloudscape-design/components/box';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type {
  ConsumerLifeResponse,
  ResponseOf,
} from '../../lib/contract/portal/portal-responses.ts';
import { Section, State } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { ConnectionName, consumerStates } from '../page/names.tsx';
import { duration, When } from '../page/time.tsx';
import { SendAgain } from './send-again.tsx';
import '../page/people.css';

type MessageLife = ResponseOf<'workspace.message'>;

interface LifeProps {
  readonly w: string;
  readonly life: MessageLife;
  again(): void;
}

const Times = ({ received, replayed }: ConsumerLifeResponse) => (
  <>
    {replayed.map(({ replay_id: id, sent_at: at }) => (
      <div key={`${id}${at}`}>
        Replayed <When at={at} isExact />
      </div>
    ))}
    {received.map(one => (
      <div key={`${one.received_at}${one.receive_count}`}>
        Received <When at={one.received_at} isExact />
        {one.receive_count > 1 && ` (${one.receive_count}×)`}
        {one.released_at !== undefined && (
          <>
            , returned <When at={one.released_at} isExact />
          </>
        )}
        {one.acknowledged_at === undefined && one.visible_at !== undefined && (
          <>
            , due again at <When at={one.visible_at} />
          </>
        )}
      </div>
    ))}
    {received.length + replayed.length === 0 && (
      <Box color="text-body-secondary" display="inline">
        Not received yet
      </Box>
    )}
  </>
);

/** How long it took from accepted to acknowledged, in milliseconds; undefined if it is not. */
const latencyOf = ({ received }: ConsumerLifeResponse, { accepted_at: accepted }: MessageLife) => {
  const [acknowledged] = received.flatMap(({ acknowledged_at: at }) => at ?? []);
  if (acknowledged === undefined || accepted === undefined) return undefined;
  return Date.parse(acknowledged) - Date.parse(accepted);
};

/** A consumer: where the message is for it, what happened to it there, and what can be done. */
const Line = ({ w, life, again, one }: LifeProps & { readonly one: ConsumerLifeResponse }) => {
  const { connection_id: c, waits_for: before } = one;
  const latency = latencyOf(one, life);
  return (
    <li>
      <div>
        <div className="line">
          <a href={urlOf('queue', { w, c })}>
            <ConnectionName id={c} isShort />
          </a>
          <State of={consumerStates[one.state]} />
          {latency !== undefined && <span>after {duration(latency)}</span>}
          {before !== undefined && (
            <span>
              behind{' '}
              <a href={urlOf('message', { w, m: before })}>
                <code>{before.slice(0, 8)}</code>
              </a>
            </span>
          )}
        </div>
        <Box color="text-body-secondary" fontSize="body-s">
          <Times {...one} />
        </Box>
      </div>
      {life.may_replay && <SendAgain w={w} life={life} c={c} again={again} />}
    </li>
  );
};

/** Those that need somebody come first. */
const urgency: readonly ConsumerLifeResponse['state'][] = [
  'returned',
  'lost',
  'expired',
  'skipped',
  'waiting',
  'queued',
  'received',
  'acknowledged',
];

const isDone = ({ state }: ConsumerLifeResponse): boolean => state === 'acknowledged';

const doneWords = (done: readonly ConsumerLifeResponse[], life: MessageLife): string => {
  const slowest = Math.max(...done.map(one => latencyOf(one, life) ?? 0));
  return `${done.length} acknowledged within ${duration(slowest)}`;
};

/** Of those that have not acknowledged it, so many are shown at once. */
const maxOpen = 5;

/** Who got it: those first that have not acknowledged it. */
export const WhoGotIt = (props: LifeProps) => {
  const { life } = props;
  const done = life.consumers.filter(isDone);
  const open = life.consumers
    .filter(one => !isDone(one))
    .sort((a, b) => urgency.indexOf(a.state) - urgency.indexOf(b.state));
  const line = (one: ConsumerLifeResponse) => <Line key={one.connection_id} {...props} one={one} />;
  return (
    <Section
      title="Who got it"
      counter={`(${done.length} of ${life.consumers.length} acknowledged)`}
    >
      <SpaceBetween size="s">
        {life.consumers.length === 0 && (
          <Box>No consumer in this workspace subscribed to this message.</Box>
        )}
        {open.length > 0 && <ul className="people">{open.slice(0, maxOpen).map(line)}</ul>}
        {open.length > maxOpen && (
          <ExpandableSection headerText={`${open.length - maxOpen} more`}>
            <ul className="people">{open.slice(maxOpen).map(line)}</ul>
          </ExpandableSection>
        )}
        {done.length > 0 && (
          <ExpandableSection headerText={doneWords(done, life)}>
            <ul className="people">{done.map(line)}</ul>
          </ExpandableSection>
        )}
      </SpaceBetween>
    </Section>
  );
};

import type {
  ConnectionCondition,
  ConsumerLine,
  ProducerLine,
} from '../../lib/contract/portal/overview-responses.ts';
import type { Look } from '../page/layout.tsx';
import { duration } from '../page/time.tsx';

/** A connection with what it did. */
export type ConnectionLine = ConsumerLine | ProducerLine;

const count = (number: number, one: string, several = `${one}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : several}`;

const waitingWords = ({ waiting, oldest_seconds: oldest }: ConsumerLine): string => {
  const wait = waiting === 1 ? 'waits' : 'wait';
  if (waiting === undefined) return 'Its queue could not be asked.';
  if (oldest === undefined) return `${count(waiting, 'message')} ${wait}.`;
  return `${count(waiting, 'message')} ${wait}, the oldest for ${duration(oldest * 1_000)}.`;
};

const isConsumer = (line: ConnectionLine): line is ConsumerLine => 'pulled' in line.day;

const consumerWords = (line: ConsumerLine): Readonly<Record<ConnectionCondition, string>> => {
  const waits = waitingWords(line);
  return {
    stuck: `Stuck: it acknowledges nothing. ${waits}`,
    slow: `Slow: it acknowledges, but falls behind. ${waits}`,
    refused: waits,
    limited: waits,
    well:
      line.waiting === 0
        ? 'Well: it has received everything that was sent to it.'
        : `Well. ${waits}`,
    quiet: 'Quiet: it has not pulled in the last day, and nothing waits for it.',
    paused: `Paused: it gets no new messages. ${waits}`,
    suspended: 'Suspended, as its organisation is.',
  };
};

const producerWords = ({ hour }: ProducerLine): Readonly<Record<ConnectionCondition, string>> => {
  const accepted = `${count(hour.accepted, 'message was', 'messages were')} accepted`;
  const refused = `${count(hour.refused, 'message was', 'messages were')} refused`;
  const limited = `${count(hour.limited, 'request was', 'requests were')} over its rate`;
  const troubles: string[] = [];
  if (hour.refused > 0) troubles.push(refused);
  if (hour.limited > 0) troubles.push(limited);
  const troubled = `In the last hour, ${troubles.join(' and ')}; ${accepted}.`;
  return {
    stuck: accepted,
    slow: accepted,
    refused: troubled,
    limited: troubled,
    well: `Well: in the last hour, ${accepted} and none refused.`,
    quiet: 'Quiet: it has sent nothing in the last day.',
    paused: 'Paused: its messages are refused.',
    suspended: 'Suspended, as its organisation is: its messages are refused.',
  };
};

const types = {
  stuck: 'error',
  slow: 'warning',
  refused: 'warning',
  limited: 'warning',
  well: 'success',
  quiet: 'pending',
  paused: 'stopped',
  suspended: 'error',
} as const;

/** The state of a connection in a sentence. */
export const stateOf = (line: ConnectionLine): Look => {
  const words = isConsumer(line) ? consumerWords(line) : producerWords(line);
  return [types[line.condition], words[line.condition]];
};

import { limits } from '../../contract/limits.ts';
import { rulePage } from '../../contract/rules.ts';
import { type JsonObject, jsonIn, objectsIn, textOf } from '../../platform/json/value.ts';
import { hintOn } from '../../som/messages/schema-violations.ts';
import { type AccountOptions, busAccount } from '../frame/account.ts';
import {
  acceptedBody,
  acceptedRecords,
  type BusResponse,
  type BusSession,
  envelopesIn,
  isOtherKind,
  openSession,
  otherKindAdvice,
  pullMessages,
  recordLine,
  settle,
  violationText,
} from '../frame/bus.ts';
import { command } from '../frame/command.ts';
import { CommandRefused } from '../frame/failures.ts';
import { flag, jsonOption, option, wholeNumber, withDefault } from '../frame/options.ts';
import { inputBytes, type Terminal } from '../frame/terminal.ts';

const pageOf = (rule: string, portalUrl: string | undefined): string | undefined => {
  const page = rulePage(rule);
  if (page === undefined) return undefined;
  if (portalUrl === undefined) return `docs/rules/${page}.md`;
  return `${portalUrl}/docs/rules/${page}`;
};

interface Sent {
  readonly bytes: Uint8Array;
  readonly portalUrl: string | undefined;
}

/**
 * Each reason on a line of its own: where, what was found and expected, what was probably meant,
 * the rule and its page.
 */
const reasonLines = (list: unknown, { bytes, portalUrl }: Sent): readonly string[] => {
  const sent = jsonIn(bytes);
  const reasons = objectsIn(list).map(({ rule, message, path }) => ({
    place: path === '' ? '(whole message)' : String(path ?? '-'),
    rule: String(rule),
    message: String(message),
    ...(typeof path === 'string' && { path }),
  }));
  const width = Math.max(0, ...reasons.map(({ place }) => place.length));
  return reasons.map(({ place, ...reason }) => {
    const page = pageOf(reason.rule, portalUrl);
    const rule = `[${reason.rule}${page === undefined ? '' : `: ${page}`}]`;
    return `${place.padEnd(width)}  ${reason.message}${hintOn(reason, sent)} ${rule}`;
  });
};

export const shownRefusal = ({ status, body }: BusResponse, sent: Sent) => {
  const lines = reasonLines(body['violations'], sent);
  return {
    summary: `status ${status}, ${lines.length === 1 ? '1 reason' : `${lines.length} reasons`}`,
    lines,
  };
};

const outcome = ({ dry_run, duplicate }: JsonObject): string => {
  if (duplicate === true) return 'accepted before';
  return dry_run === true ? 'would be accepted' : 'accepted';
};

const acceptanceLines = ({ body }: BusResponse, sent: Sent): readonly string[] => [
  [`${outcome(body)}:`, body['message_type'], body['message_id']].filter(Boolean).join(' '),
  ...reasonLines(body['tolerated'], sent).map(line => `  tolerated: ${line}`),
];

/** @throws CommandRefused with what to change, unless the message was accepted */
const report = (
  terminal: Terminal,
  response: BusResponse,
  { json, ...sent }: { bytes: Uint8Array; portalUrl: string | undefined; json: boolean },
) => {
  const isAccepted = response.body['accepted'] === true;
  if (json) terminal.out(JSON.stringify(response.body));
  else if (isAccepted) for (const line of acceptanceLines(response, sent)) terminal.out(line);
  if (isAccepted) return;
  const { summary, lines } = shownRefusal(response, sent);
  const advice = isOtherKind(response) ? [otherKindAdvice] : [];
  throw new CommandRefused(summary, json ? [] : [...lines, ...advice]);
};

export const publishCommand = command({
  usage: 'publish <file>',
  arguments: { file: 'a message, or - for standard input' },
  description: 'publish one message and print the verdict',
  target: 'account',
  options: {
    json: jsonOption,
    dryRun: flag('--dry-run', 'validate the message without publishing it'),
  },
  async run({ terminal, options }, file) {
    const bytes = inputBytes(file);
    const account = busAccount(options, 'producer');
    const session = await openSession(account);
    const response = await session.call(options.dryRun ? 'validate' : 'messages', bytes);
    report(terminal, response, { bytes, portalUrl: account.portalUrl, json: options.json });
  },
});

interface TailOptions extends AccountOptions {
  readonly ack: boolean;
  readonly wait: number;
  readonly count: number;
}

/**
 * Pulls once and prints. With `ack`, each message is acknowledged after it is written and before
 * the next one is. Once the reader has left (`| head -1`), what is not yet written is returned to
 * the queue; what a pipe took before that counts as read.
 *
 * @returns how many were printed, and whether there is still a reader
 */
const pullOnce = async (
  session: BusSession,
  { ack, wait, count }: TailOptions,
  deliver: Terminal['deliver'],
) => {
  const max = Math.min(count, limits.pullMessages.max);
  const pulled = await pullMessages(session, { max, wait });
  const records = acceptedRecords(pulled);
  const envelopes = envelopesIn(pulled);
  for (const [index, record] of records.entries()) {
    if (!(await deliver(recordLine(record, envelopes[index] ?? '')))) {
      acceptedRecords(await settle(session, 'nack', records.slice(index)));
      return { printed: index, isRead: false };
    }
    if (ack) acceptedRecords(await settle(session, 'ack', [record]));
  }
  return { printed: records.length, isRead: true };
};

const nothing = (wait: number): string =>
  wait === 0 ? 'the queue is empty' : `nothing arrived within ${wait} s`;

const { max: maxWait } = limits.pullWaitSeconds;
const noLimit = 999_999_999;

export const tailCommand = command({
  usage: 'tail',
  description:
    'print incoming messages, one JSON line each; without --ack they are delivered again after a minute',
  target: 'account',
  options: {
    ack: flag('--ack', 'acknowledge each message once it is printed'),
    wait: withDefault(
      option('--wait <seconds>', 'how long one pull waits for a message', wholeNumber(0, maxWait)),
      maxWait,
    ),
    count: withDefault(
      option('--count <messages>', 'stop after this many messages', wholeNumber(1, noLimit)),
      noLimit,
      'no limit',
    ),
    once: flag('--once', 'pull once, then stop'),
  },
  async run({ terminal, options }) {
    const session = await openSession(busAccount(options, 'consumer'), { say: terminal.error });
    let left = options.count;
    let isRead = true;
    do {
      const pulled = await pullOnce(session, { ...options, count: left }, terminal.deliver);
      left -= pulled.printed;
      isRead = pulled.isRead;
    } while (isRead && left > 0 && !options.once);
    if (isRead && left === options.count) terminal.error(nothing(options.wait));
  },
});

interface Event {
  readonly at: string;
  readonly what: string;
}

const event = (at: string, what: string): readonly Event[] => (at === '' ? [] : [{ at, what }]);

const receiveEvents = (consumer: string, receive: JsonObject): readonly Event[] => {
  const copy = textOf(receive, 'replay_id');
  const of = copy === '' ? consumer : `${consumer} (copy of replay ${copy})`;
  return [
    ...event(
      textOf(receive, 'received_at'),
      `received by ${of} (receive ${receive['receive_count']})`,
    ),
    ...event(
      textOf(receive, 'released_at'),
      `returned by ${of}; visible ${textOf(receive, 'visible_at')}`,
    ),
    ...event(textOf(receive, 'acknowledged_at'), `acknowledged by ${of}`),
  ];
};

const consumerEvents = (consumer: JsonObject): readonly Event[] => {
  const id = textOf(consumer, 'connection_id');
  return [
    ...objectsIn(consumer['replayed']).flatMap(replay =>
      event(
        textOf(replay, 'sent_at'),
        `sent to ${id} again by replay ${textOf(replay, 'replay_id')}`,
      ),
    ),
    ...objectsIn(consumer['received']).flatMap(receive => receiveEvents(id, receive)),
  ];
};

const refusalEvents = (refusal: JsonObject): readonly Event[] =>
  objectsIn(refusal['violations']).flatMap(violation =>
    event(textOf(refusal, 'refused_at'), `refused: ${violationText(violation)}`),
  );

const eventsOf = (life: JsonObject): readonly Event[] => {
  const repeats = Array.isArray(life['repeated_at']) ? life['repeated_at'].map(String) : [];
  const accepted = `accepted from ${textOf(life, 'producer_id')} (${textOf(life, 'system_id')})`;
  const all = [
    ...event(textOf(life, 'accepted_at'), accepted),
    ...objectsIn(life['refusals']).flatMap(refusalEvents),
    ...repeats.flatMap(at => event(at, 'published again with the same content')),
    ...objectsIn(life['consumers']).flatMap(consumerEvents),
  ];
  // Times of one length sort as text; what happened at the same time keeps its order.
  return all.sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)));
};

const nowLine = (consumer: JsonObject): string => {
  const waits = textOf(consumer, 'waits_for');
  return (
    `now  ${textOf(consumer, 'connection_id')}: ` +
    `${textOf(consumer, 'state')}${waits === '' ? '' : `, after ${waits}`}`
  );
};

export const traceLines = (life: JsonObject): readonly string[] => [
  ...eventsOf(life).map(({ at, what }) => `${at}  ${what}`),
  ...objectsIn(life['consumers']).map(nowLine),
];

export const traceCommand = command({
  usage: 'trace <message_id>',
  description: 'tell what became of a message: its verdict, and where it is for each consumer',
  target: 'account',
  options: { json: jsonOption },
  async run({ terminal, options }, messageId) {
    const session = await openSession(busAccount(options, 'producer'));
    const life = acceptedBody(await session.call(`messages/${encodeURIComponent(messageId)}`));
    for (const line of options.json ? [JSON.stringify(life)] : traceLines(life)) terminal.out(line);
  },
});

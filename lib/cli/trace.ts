import { Command } from 'commander';
import { isJsonObject, type JsonObject, textOf } from '../json/value.ts';
import { type AccountOptions, accountOptions, busAccount } from './account.ts';
import { openSession, reasonOf } from './bus.ts';
import { type CommandContext, Refused } from './command.ts';
import { jsonOption } from './options.ts';

const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

/** One event of a life, at its time. */
interface Event {
  readonly at: string;
  readonly what: string;
}

const event = (at: string, what: string): readonly Event[] => (at === '' ? [] : [{ at, what }]);

const receiveEvents = (consumer: string, receive: JsonObject): readonly Event[] => {
  const copy = textOf(receive, 'replay_id');
  const of = copy === '' ? consumer : `${consumer} (copy of replay ${copy})`;
  return [
    ...event(textOf(receive, 'received_at'), `received by ${of} (receive ${receive['receive_count']})`),
    ...event(textOf(receive, 'released_at'), `returned by ${of}; visible ${textOf(receive, 'visible_at')}`),
    ...event(textOf(receive, 'acknowledged_at'), `acknowledged by ${of}`),
  ];
};

const consumerEvents = (consumer: JsonObject): readonly Event[] => {
  const id = textOf(consumer, 'connection_id');
  return [
    ...objectsIn(consumer['replayed']).flatMap(replay =>
      event(textOf(replay, 'sent_at'), `sent to ${id} again by replay ${textOf(replay, 'replay_id')}`),
    ),
    ...objectsIn(consumer['received']).flatMap(receive => receiveEvents(id, receive)),
  ];
};

const refusalEvents = (refusal: JsonObject): readonly Event[] =>
  objectsIn(refusal['violations']).flatMap(violation => {
    const path = textOf(violation, 'path');
    const place = path === '' ? '' : ` at ${path}`;
    const what = `refused: ${textOf(violation, 'rule')}${place}: ${textOf(violation, 'message')}`;
    return event(textOf(refusal, 'refused_at'), what);
  });

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
  return `now  ${textOf(consumer, 'connection_id')}: ${textOf(consumer, 'state')}${waits === '' ? '' : `, after ${waits}`}`;
};

/** What `sombus trace` prints of a message's life, as the bus responds with it: its events in order, then where it is for each consumer. */
export const traceLines = (life: JsonObject): readonly string[] => [
  ...eventsOf(life).map(({ at, what }) => `${at}  ${what}`),
  ...objectsIn(life['consumers']).map(nowLine),
];

/** `sombus trace MESSAGE_ID`: what became of a message, event by event. */
export const traceCommand = ({ terminal }: CommandContext): Command =>
  jsonOption(accountOptions(new Command('trace').argument('<message_id>')))
    .description('tell what became of a message: its verdict, and where it is for each consumer')
    .action(async (messageId: string, { json, ...options }: AccountOptions & { readonly json: boolean }) => {
      const session = await openSession(busAccount(options, 'producer', process.env));
      const response = await session.call(`messages/${encodeURIComponent(messageId)}`);
      if (response.status !== 200) throw new Refused(reasonOf(response));
      if (json) return terminal.out(JSON.stringify(response.body));
      for (const line of traceLines(response.body)) terminal.out(line);
    });

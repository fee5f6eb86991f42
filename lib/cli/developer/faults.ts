import type { Duration, Faults } from '../../contract/faults.ts';
import { defined } from '../../contract/outside.ts';
import { durationIn, faultsKey, faultsPath } from '../../local/faults.ts';
import { operatorKeyIn } from '../../local/roles.ts';
import { readSeed } from '../../local/seed.ts';
import { runningService } from '../../local/service-note.ts';
import { isJsonObject, type JsonObject } from '../../platform/json/value.ts';
import { request } from '../frame/bus.ts';
import { type CommandGroup, type CommandRun, command } from '../frame/command.ts';
import { CommandRefused, found } from '../frame/failures.ts';
import {
  jsonOption,
  matching,
  type OptionsOf,
  option,
  wholeNumber,
  withDefault,
} from '../frame/options.ts';

/**
 * Asks the service on the data folder, with the operator's key.
 *
 * @returns the faults of each connection
 */
const ask = async (
  data: string,
  change?: { connection: string; kind?: string; faults: Faults },
): Promise<JsonObject> => {
  const { origin } = runningService(data);
  const headers = { authorization: `Bearer ${faultsKey(operatorKeyIn(data), Date.now())}` };
  const init =
    change === undefined ? { headers } : { headers, method: 'PUT', body: JSON.stringify(change) };
  const { status, body } = await request(`${origin}${faultsPath}`, init);
  if (status === 200 && isJsonObject(body['faults'])) return body['faults'];
  if (status === 400 && change?.kind)
    throw new CommandRefused(`${change.connection} is a ${change.kind}. ${body['error']}`);
  throw new CommandRefused(
    `The service at ${origin} does not take faults from here: is it the one that runs on the ` +
      `data folder ${data}, and of this version?`,
  );
};

/** The connection that a command means: `producer` and `consumer` are those of the demo. */
const connectionIn = async ({ ports, options }: CommandRun, named: string) => {
  const isDemo = named === 'producer' || named === 'consumer';
  const id = isDemo ? readSeed(options.data)?.[named].client_id : named;
  const entry = id === undefined ? undefined : await ports.connections.find(id);
  return found(entry, 'connection', named).connection;
};

const rows = (faults: JsonObject): readonly object[] =>
  Object.entries(faults).map(([connection_id, what]) => ({ connection_id, faults: what }));

const time = matching(
  (text): text is Duration & string => durationIn(text) !== undefined,
  'A time is a number with a unit, such as 250ms, 5s, 15m, 2h or 7d.',
);

const maxCount = 1_000_000;

const setOptions = {
  json: jsonOption,
  duplicate: option<true>('--duplicate', 'consumer: each message comes twice'),
  delay: option('--delay <time>', 'consumer: each message comes this much later', time),
  hold: option<true>('--hold', 'consumer: messages are held back until this is cleared'),
  redeliver: option(
    '--redeliver <time>',
    'consumer: each message comes once more, this much later',
    time,
  ),
  refuse: option('--refuse <status>', 'the next requests are refused', ['429', '503']),
  times: withDefault(
    option('--times <requests>', 'how many are refused', wholeNumber(1, maxCount)),
    1,
  ),
  retryAfter: option(
    '--retry-after <seconds>',
    'what Retry-After says then',
    wholeNumber(0, 86_400),
  ),
  loseResponses: option(
    '--lose-responses <requests>',
    'so many responses are lost, after the bus has done its part',
    wholeNumber(1, maxCount),
  ),
  slow: option('--slow <time>', 'each request takes this much longer', time),
};

const plain = ['duplicate', 'delay', 'hold', 'redeliver', 'loseResponses', 'slow'] as const;

const faultsOf = (options: OptionsOf<typeof setOptions>): Faults => {
  const { refuse, times, retryAfter } = options;
  const refusal = refuse && {
    status: refuse === '429' ? (429 as const) : (503 as const),
    times,
    ...defined({ retryAfter }),
  };
  return {
    ...Object.fromEntries(plain.flatMap(name => (name in options ? [[name, options[name]]] : []))),
    ...(refusal && { refuse: refusal }),
  };
};

const set = command({
  usage: 'set <connection>',
  arguments: { connection: 'its id; producer or consumer: the demo' },
  description: 'replace what goes wrong for one connection, until the service stops',
  target: 'folder',
  options: setOptions,
  async run(call, named) {
    const faults = faultsOf(call.options);
    if (Object.keys(faults).length === 0)
      return call.misused('say what is to go wrong, such as --duplicate');
    const { id, kind } = await connectionIn(call, named);
    return rows(await ask(call.options.data, { connection: id, kind, faults }));
  },
});

export const faultsCommand: CommandGroup = {
  name: 'faults',
  description: 'let things go wrong for a connection of the local service, as som-bus/testing does',
  commands: [
    set,
    command({
      usage: 'list',
      description: 'list what is still to go wrong, by connection',
      target: 'folder',
      options: { json: jsonOption },
      run: async ({ options: { data } }) => rows(await ask(data)),
    }),
    command({
      usage: 'clear [connection]',
      arguments: { connection: 'its id (default: all connections)' },
      description: 'end the faults of a connection, or of all; what was held back is sent',
      target: 'folder',
      options: { json: jsonOption },
      async run(call, named: string | undefined) {
        const { data } = call.options;
        const ids = named ? [(await connectionIn(call, named)).id] : Object.keys(await ask(data));
        for (const connection of ids) await ask(data, { connection, faults: {} });
        return rows(await ask(data));
      },
    }),
  ],
};

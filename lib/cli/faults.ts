import { Command, InvalidArgumentError, Option } from 'commander';
import type { Duration, Faults } from '../contract/faults.ts';
import { isJsonObject, type JsonObject } from '../json/value.ts';
import { durationIn, faultsKey, faultsPath } from '../local/faults.ts';
import { operatorKeyIn } from '../local/roles.ts';
import { readSeed } from '../local/seed.ts';
import { runningService } from '../local/service-note.ts';
import { request } from './bus.ts';
import { type CommandContext, Refused } from './command.ts';
import { dataOption, jsonOption, wholeNumber } from './options.ts';
import { printTable } from './print.ts';

interface FaultOptions {
  readonly data: string;
  readonly json: boolean;
}

/** Asks the service on the data folder, with the operator's key. @returns the faults of each connection */
const ask = async (
  data: string,
  change?: { readonly connection: string; readonly kind?: string; readonly faults: Faults },
): Promise<JsonObject> => {
  const { origin } = runningService(data);
  const headers = { authorization: `Bearer ${faultsKey(operatorKeyIn(data), Date.now())}` };
  const init = change === undefined ? { headers } : { headers, method: 'PUT', body: JSON.stringify(change) };
  const { status, body } = await request(`${origin}${faultsPath}`, init);
  if (status === 200 && isJsonObject(body['faults'])) return body['faults'];
  if (status === 400 && change?.kind)
    throw new Refused(`${change.connection} is a ${change.kind}. ${body['error']}`);
  throw new Refused(
    `The service at ${origin} does not take faults from here: is it the one that runs on the data folder ${data}, and of this version?`,
  );
};

/** The connection that a command means: `producer` and `consumer` are those of the demo. */
const connectionIn = async (
  { registry }: CommandContext,
  { data }: FaultOptions,
  named: string,
): Promise<{ readonly id: string; readonly kind: 'producer' | 'consumer' }> => {
  const id = named === 'producer' || named === 'consumer' ? readSeed(data)?.[named].client_id : named;
  const found = id === undefined ? undefined : await registry(data).connections.find(id);
  if (found === undefined) throw new Refused(`There is no connection ${named}.`);
  return found.connection;
};

const rows = (faults: JsonObject): readonly object[] =>
  Object.entries(faults).map(([connection_id, what]) => ({ connection_id, faults: what }));

const time = (text: string): Duration => {
  if (durationIn(text) === undefined)
    throw new InvalidArgumentError('A time is a number with a unit, such as 250ms, 5s, 15m, 2h or 7d.');
  return text as Duration;
};

const maxCount = 1_000_000;

interface SetOptions extends FaultOptions {
  readonly duplicate?: true;
  readonly delay?: Duration;
  readonly hold?: true;
  readonly redeliver?: Duration;
  readonly refuse?: '429' | '503';
  readonly times: number;
  readonly retryAfter?: number;
  readonly loseResponses?: number;
  readonly slow?: Duration;
}

const given = <Name extends keyof SetOptions>(
  options: SetOptions,
  names: readonly Name[],
): Pick<SetOptions, Name> =>
  Object.fromEntries(
    names.filter(name => options[name] !== undefined).map(name => [name, options[name]]),
  ) as Pick<SetOptions, Name>; // those of them that are given

const faultsOf = (options: SetOptions): Faults => {
  const { refuse, times, retryAfter } = options;
  const refusal = refuse && {
    status: refuse === '429' ? (429 as const) : (503 as const),
    times,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
  return {
    ...given(options, ['duplicate', 'delay', 'hold', 'redeliver', 'loseResponses', 'slow']),
    ...(refusal ? { refuse: refusal } : {}),
  };
};

const setCommand = (context: CommandContext): Command =>
  jsonOption(
    dataOption(new Command('set').argument('<connection>', 'its id; producer or consumer: the demo')),
  )
    .description('replace what goes wrong for one connection, until the service stops')
    .option('--duplicate', 'consumer: each message comes twice')
    .addOption(new Option('--delay <time>', 'consumer: each message comes this much later').argParser(time))
    .option('--hold', 'consumer: messages are held back until this is cleared')
    .addOption(
      new Option('--redeliver <time>', 'consumer: each message comes once more, this much later').argParser(
        time,
      ),
    )
    .addOption(new Option('--refuse <status>', 'the next requests are refused').choices(['429', '503']))
    .option('--times <requests>', 'how many are refused', wholeNumber(1, maxCount), 1)
    .addOption(
      new Option('--retry-after <seconds>', 'what Retry-After says then').argParser(wholeNumber(0, 86_400)),
    )
    .addOption(
      new Option(
        '--lose-responses <requests>',
        'so many responses are lost, after the bus has done its part',
      ).argParser(wholeNumber(1, maxCount)),
    )
    .addOption(new Option('--slow <time>', 'each request takes this much longer').argParser(time))
    .action(async (named: string, options: SetOptions, command: Command) => {
      const faults = faultsOf(options);
      if (Object.keys(faults).length === 0)
        command.error('error: say what is to go wrong, such as --duplicate');
      const { id, kind } = await connectionIn(context, options, named);
      const all = await ask(options.data, { connection: id, kind, faults });
      printTable(context.terminal, rows(all), options.json);
    });

const listCommand = ({ terminal }: CommandContext): Command =>
  jsonOption(dataOption(new Command('list')))
    .description('list what is still to go wrong, by connection')
    .action(async ({ data, json }: FaultOptions) => printTable(terminal, rows(await ask(data)), json));

const clearCommand = (context: CommandContext): Command =>
  jsonOption(dataOption(new Command('clear').argument('[connection]', 'its id (default: all connections)')))
    .description('end the faults of a connection, or of all; what was held back is sent')
    .action(async (named: string | undefined, options: FaultOptions) => {
      const ids =
        named === undefined
          ? Object.keys(await ask(options.data))
          : [(await connectionIn(context, options, named)).id];
      for (const connection of ids) await ask(options.data, { connection, faults: {} });
      printTable(context.terminal, rows(await ask(options.data)), options.json);
    });

export const faultsCommand = (context: CommandContext): Command =>
  new Command('faults')
    .description('let things go wrong for a connection of the local service, as som-bus/testing does')
    .addCommand(setCommand(context))
    .addCommand(listCommand(context))
    .addCommand(clearCommand(context));

import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../support/service-process.ts';
import { busReader, fetchPublishing, nullHandler, publishing, type Reader, readBeside } from './bus.ts';
import { checkoutAt, type MeasuredService, startMeasured } from './checkout.ts';
import { closedLoop, type Load, percentile, perSecond, type Target, together } from './load.ts';
import { startBare, startPeer } from './peer.ts';
import { digits, print, table } from './table.ts';

const minTimesPeer = 1.2;
const minOfNullHandler = 0.1;
const bytes = 4_096;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '5' },
    clients: { type: 'string', default: '8' },
    checkout: { type: 'string', default: '.' },
  },
});
const [rounds, seconds, clients] = [values.rounds, values.seconds, values.clients].map(Number) as [
  number,
  number,
  number,
];

interface Side {
  readonly name: string;
  readonly target: Target;
  readonly reader?: Reader;
}

const slice = async ({ target, reader }: Side): Promise<{ readonly load: Load; readonly taken: number }> => {
  const sending = closedLoop(target, clients, seconds);
  const [load, taken] = reader ? await readBeside(reader, sending) : [await sending, 0];
  return { load, taken };
};

/** Slices of all sides in turns, so that what else the machine does falls on all. */
const inTurns = async (sides: readonly Side[]) => {
  const slices = new Map(sides.map(side => [side.name, [] as Awaited<ReturnType<typeof slice>>[]]));
  for (const side of sides) await slice(side); // until the compilers have seen the code
  for (let round = 0; round < rounds; round += 1)
    for (const side of sides) slices.get(side.name)?.push(await slice(side));
  return [...slices].map(([name, parts]) => {
    const load = together(parts.map(part => part.load));
    const taken = parts.reduce((sum, part) => sum + part.taken, 0) / load.seconds;
    return { name, load, taken };
  });
};

type Measured = Awaited<ReturnType<typeof inTurns>>;

const rateOf = (measured: Measured, name: string): number =>
  measured.filter(one => one.name === name).reduce((rate, { load }) => rate + perSecond(load), 0);

const printed = (measured: Measured): void => {
  const rows = measured.map(({ name, load, taken }) => [
    name,
    digits(perSecond(load)),
    digits(percentile(load, 50)),
    digits(percentile(load, 99)),
    digits(taken),
    String(load.refused),
  ]);
  print(table(['', 'per s', 'p50 ms', 'p99 ms', 'read per s', 'refused'], rows));
};

const ratio = (measured: Measured, one: Side, other: Side): number =>
  rateOf(measured, one.name) / rateOf(measured, other.name);

const sidesOf = async (service: MeasuredService, peer: Awaited<ReturnType<typeof startPeer>>) => ({
  raw: {
    ours: { name: 'som-bus publish', target: await publishing(service, bytes) },
    theirs: { name: 'fauxqs SNS FIFO publish', target: peer.target },
  },
  usual: {
    ours: { name: 'som-bus publish with fetch', target: await fetchPublishing(service, bytes) },
    theirs: { name: 'fauxqs SNS FIFO publish with the AWS SDK', target: peer.sdkTarget },
  },
});

const measure = async (service: MeasuredService, folder: string): Promise<void> => {
  const peer = await startPeer(bytes);
  const bare = await startBare(bytes);
  const durable = isBuiltin('node:sqlite') ? await startPeer(bytes, join(folder, 'fauxqs')) : undefined;
  const { raw, usual } = await sidesOf(service, peer);
  const floors = [
    { name: 'bare node:http server', target: bare.target },
    { name: 'null handler of the gateway', target: nullHandler(service) },
  ] as const;
  const stored = durable ? [{ name: 'fauxqs SNS FIFO publish, stored', target: durable.target }] : [];
  print(
    `${bytes} bytes, ${clients} clients, ${rounds} × ${seconds} s each in turns, node ${process.version}`,
  );
  print('\nOne subscribed queue, one consumer that takes and acknowledges by tens:\n');
  const read = await inTurns([
    { ...raw.theirs, reader: peer.reader() },
    { ...raw.ours, reader: await busReader(service) },
  ]);
  printed(read);
  print('\nOne subscribed queue, which nobody reads meanwhile:\n');
  const sides = [...floors, ...stored, raw.theirs, raw.ours, usual.theirs, usual.ours];
  const unread = await inTurns(sides);
  printed(unread);
  await Promise.all([peer, bare, durable].map(server => server?.close()));
  const beside = ratio(unread, raw.ours, usual.theirs);
  const ofNull = ratio(unread, raw.ours, floors[1]);
  const rows = [
    ['beside fauxqs with its own client, the AWS SDK', beside, minTimesPeer],
    ['beside fauxqs with its own client, ours with fetch', ratio(unread, usual.ours, usual.theirs)],
    ['beside fauxqs, both with the same bare client', ratio(unread, raw.ours, raw.theirs)],
    ['the same, while a consumer takes the messages', ratio(read, raw.ours, raw.theirs)],
    ...stored.map(
      side => ['beside fauxqs with a data folder, bare client', ratio(unread, raw.ours, side)] as const,
    ),
    ['beside the null handler', ofNull, minOfNullHandler],
    ['beside a bare server', ratio(unread, raw.ours, floors[0])],
  ] as const;
  print('');
  print(
    table(
      ['som-bus', 'times', 'at least'],
      rows.map(([name, value, min]) => [name, value.toFixed(3), min === undefined ? '' : String(min)]),
    ),
  );
  if (beside < minTimesPeer || ofNull < minOfNullHandler) process.exitCode = 1;
};

const main = async (): Promise<void> => {
  const folder = temporaryFolder();
  const service = await startMeasured(checkoutAt(values.checkout), join(folder.path, 'data'));
  try {
    await measure(service, folder.path);
  } finally {
    await service.stop('SIGKILL');
    folder.remove();
  }
};

void main();

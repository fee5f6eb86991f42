import { parseArgs } from 'node:util';
import { busReader, publishing } from './bus.ts';
import { checkoutAt, type MeasuredService, type Profile } from './checkout.ts';
import { type Hot, hotFunctions } from './hot-functions.ts';
import { closedLoop, perSecond, send } from './load.ts';
import { digits, print, table } from './table.ts';
import { addConsumers, withService } from './under-load.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    checkout: { type: 'string', default: '.' },
    rows: { type: 'string', default: '10' },
    bytes: { type: 'string', default: '4096' },
    drain: { type: 'string', default: '0' },
    consumers: { type: 'string', default: '1' },
  },
});
const checkout = checkoutAt(values.checkout);

/** What the service was profiled with: how many messages, and in how many seconds. */
interface Work {
  readonly words: string;
  readonly messages: number;
  readonly seconds: number;
}

const publishingWork = async (service: MeasuredService): Promise<() => Promise<Work>> => {
  await addConsumers(service, Number(values.consumers) - 1);
  const target = await publishing(service, Number(values.bytes));
  await send(target, Number(values.bytes) > 100_000 ? 100 : 1_000, 8);
  return async () => {
    const load = await closedLoop(target, 8, Number(values.seconds));
    const words = `8 clients publish ${values.bytes} bytes each`;
    return { words, messages: load.accepted, seconds: load.accepted / perSecond(load) };
  };
};

/** One consumer takes and acknowledges what waits, ten at a time. */
const drainingWork = async (service: MeasuredService, waiting: number): Promise<() => Promise<Work>> => {
  await send(await publishing(service, Number(values.bytes)), waiting);
  const reader = await busReader(service);
  return async () => {
    const began = performance.now();
    let messages = 0;
    for (let more = await reader.take(0); more > 0; more = await reader.take(0)) messages += more;
    const seconds = (performance.now() - began) / 1000;
    reader.close();
    return { words: `one consumer takes ${waiting} waiting messages`, messages, seconds };
  };
};

const main = () =>
  withService(checkout, async service => {
    const waiting = Number(values.drain);
    const work = waiting > 0 ? await drainingWork(service, waiting) : await publishingWork(service);
    const before = service.tree.mainThreadSeconds();
    await service.ask('startProfile');
    const { words, messages, seconds } = await work();
    const used = service.tree.mainThreadSeconds() - before;
    const profile = await service.ask('stopProfile');
    print(
      `${words}: ${digits(messages / seconds)} a second, ${digits((1000 * used) / messages)} ms of processor time of the main thread for each, node ${process.version}`,
    );
    printProfile(profile, messages);
  });

const printProfile = (profile: Profile, messages: number): void => {
  const { functions, files, ours } = hotFunctions(profile, checkout.folder);
  const total = files.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const rowOf = ({ name, milliseconds }: Hot): readonly string[] => [
    name,
    `${((100 * milliseconds) / total).toFixed(1)} %`,
    ((1000 * milliseconds) / messages).toFixed(0),
  ];
  print(`\n${checkout.name}\n`);
  for (const [title, entries] of [
    ['function', functions],
    ['file or package', files],
    ['function of ours, with what it calls elsewhere', ours],
  ] as const) {
    print(table([title, 'self', 'µs a message'], entries.slice(0, Number(values.rows)).map(rowOf)));
    print('');
  }
};

void main();

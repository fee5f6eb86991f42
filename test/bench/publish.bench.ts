import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { bearer } from '../support/http-client.ts';
import { storyContext } from '../support/messages.ts';
import { type ServiceProcess, sombus, startService, temporaryFolder } from '../support/service-process.ts';
import { closedLoop, head, openLoop, row, type Target } from './load.ts';
import { writeUnits } from './write-units.ts';

const seconds = Number(process.env['SOMBUS_BENCH_SECONDS'] ?? 60);
const short = Math.max(3, Math.round(seconds / 6));
/** Until the compiler has seen a few hundred messages. */
const warmSeconds = Math.max(2, Math.round(seconds / 10));

const words =
  'the river rose again last night and the bridge at Karlsbruecke is closed until further notice; '.split(
    ' ',
  );

/** A story of about so many bytes in which words repeat as they do in text. */
const storyOf = (bytes: number): Buffer => {
  const messageId = randomUUID();
  const assets: object[] = [];
  const make = () =>
    Buffer.from(
      JSON.stringify(storyContext({ story_id: `story-${messageId}`, assets }, { message_id: messageId })),
    );
  const count = Math.max(1, Math.floor((bytes - 700) / 330));
  for (let index = 0; index < count; index += 1) {
    const text = Array.from({ length: 24 }, (_, at) => words[(index * 31 + at * 7) % words.length]).join(' ');
    assets.push({
      asset_id: `asset-${index}-${randomUUID()}`,
      asset_type: 'VIDEO',
      status: 'READY',
      evidential_position: 'PRIMARY',
      media_refs: [{ source: `tams://store/flow-${index}`, label: text }],
    });
  }
  return make();
};

const publishing = async ({ ready }: ServiceProcess, bytes: number): Promise<Target> => {
  const { base_url, workspace, producer } = ready;
  const authorization = await bearer(base_url, producer);
  const template = storyOf(bytes).toString('utf8');
  const [first = ''] = template.match(/[0-9a-f]{8}-[0-9a-f-]{27}/) ?? [];
  const parsed = JSON.parse(template) as Record<string, string>;
  const ids = [parsed['message_id'] ?? first, parsed['correlation_id'] ?? ''];
  return {
    url: `${base_url}/tenants/${workspace}/messages`,
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    // New ids in the same bytes: making a story anew would cost more than serving it.
    body: () => Buffer.from(ids.reduce((text, id) => text.replaceAll(id, randomUUID()), template)),
  };
};

const nothing = ({ ready }: ServiceProcess): Target => ({
  url: `${ready.base_url}/health`,
  method: 'GET',
  headers: {},
  body: () => undefined,
});

/** Processor seconds of a process and its children so far. */
const processorSeconds = (pid: number | undefined): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
};

const addConsumers = async (service: ServiceProcess, folder: string, count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    const flags = ['--kind', 'consumer', '--workspace', service.ready.workspace, '--app', `bench-${index}`];
    await sombus('connection', 'create', ...flags, '--data', folder);
  }
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const withService = async (
  consumers: number,
  work: (service: ServiceProcess) => Promise<void>,
): Promise<void> => {
  const folder = temporaryFolder();
  const service = await startService(folder.path, '--no-limits');
  try {
    await addConsumers(service, folder.path, consumers - 1);
    await work(service);
  } finally {
    await service.stop('SIGKILL');
    folder.remove();
  }
};

const large = async (service: ServiceProcess): Promise<void> => {
  const target = await publishing(service, 240_000);
  print(`one message of ${target.body()?.length} bytes`);
  await closedLoop(target, 8, warmSeconds);
  const before = processorSeconds(service.child.pid);
  const load = await closedLoop(target, 8, short);
  const used = processorSeconds(service.child.pid) - before;
  print(row('1 consumer, 240,000 bytes, 8 clients', load));
  const each = (1000 * used) / load.milliseconds.length;
  print(
    `the service's own process: ${each.toFixed(1)} ms of processor time per message, ${((100 * used) / load.seconds).toFixed(0)} % of one core`,
  );
  const perSecond = Math.floor((0.75 * load.milliseconds.length) / load.seconds);
  const open = await openLoop(target, { perSecond, seconds, burst: 0 });
  print(row(`1 consumer, 240,000 bytes, ${perSecond} a second`, open));
};

const main = async (): Promise<void> => {
  print(head);
  for (const consumers of [1, 3, 10]) {
    await withService(consumers, async service => {
      await closedLoop(await publishing(service, 4_096), 8, warmSeconds);
      print(row('null handler, 8 clients', await closedLoop(nothing(service), 8, short), 200));
      const target = await publishing(service, 4_096);
      print(row(`${consumers} consumers, 4 KB, 8 clients`, await closedLoop(target, 8, short)));
    });
  }
  await withService(1, async service => {
    const target = await publishing(service, 4_096);
    await closedLoop(target, 8, warmSeconds);
    const rate = { perSecond: 200, seconds, burst: 400 };
    print(
      row(
        `null handler, 200 a second and 400 at once`,
        await openLoop(nothing(service), { ...rate, seconds: short }),
        200,
      ),
    );
    print(row('1 consumer, 4 KB, 200 a second', await openLoop(target, { ...rate, burst: 0 })));
    print(row('1 consumer, 4 KB, 200 a second and 400 at once', await openLoop(target, rate)));
  });
  await withService(1, large);
  print('');
  print(`${'write units'.padEnd(44)}    commit   closing  together  raw body`);
  const noise = (bytes: number) =>
    Buffer.from(`"${randomBytes(Math.floor((bytes * 3) / 4)).toString('base64')}"`);
  const sizes = [4_096, 65_536, 240_000];
  const bodies = [
    ...sizes.map(bytes => [`a story of ${bytes} bytes`, storyOf(bytes)] as const),
    ...sizes.map(bytes => [`${bytes} bytes of noise`, noise(bytes)] as const),
  ];
  for (const line of await writeUnits(bodies)) print(line);
};

void main();

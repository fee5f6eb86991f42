import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs, parseEnv, promisify } from 'node:util';
import { defined } from '../../lib/contract/outside.ts';
import { type Attempt, type Bus, connect, fromEnvironment } from '../../lib/kit/client/index.ts';
import { systemOutside } from '../../lib/kit/client/outside.ts';
import { dayOf } from '../../lib/kit/newsroom/day.ts';
import { playDay } from '../../lib/kit/newsroom/play.ts';
import { type RoleName, roleNames } from '../../lib/kit/newsroom/roles.ts';
import { pythonTools } from '../../scripts/python-tools.ts';
import { busiestMinute, percentileOf } from '../simulation/paced-house.ts';
import { temporaryFolder } from '../support/service-process.ts';
import { checkoutAt, type MeasuredService, startMeasured } from './checkout.ts';
import { digits, print, table } from './figures.ts';
import { storyOf } from './story.ts';

/*
 * npm run bench -- pacing [--rates 1,2,4,5] [--seconds 180] [--python] [--newsroom]
 * Eight official consumers and a producer behind one address, with the bus's limits: is anything
 * refused, and how late are the messages? With --newsroom, a newsroom plays its day in another
 * workspace at the same time, from the same address.
 */
const { values } = parseArgs({
  options: {
    rates: { type: 'string', default: '1,2,4,5' },
    seconds: { type: 'string', default: '180' },
    python: { type: 'boolean', default: false },
    newsroom: { type: 'boolean', default: false },
  },
});

const consumers = 8;
const seconds = Number(values.seconds);
const silence = 10_000;

interface Account {
  readonly baseUrl: string;
  readonly workspace: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What a trial saw. Times in milliseconds. */
export interface Trial {
  /** When each request was sent. */
  readonly requests: readonly number[];
  readonly refused: number;
  readonly published: number;
  readonly delivered: number;
  readonly ended: number;
  readonly publishTimes: readonly number[];
  readonly lags: readonly number[];
  /** Of the message after silence, for each consumer. */
  readonly silenceLags: readonly number[];
  /** Messages of the newsroom that played beside it. */
  readonly newsroomAccepted?: number;
}

const accountsOf = async (service: MeasuredService) => {
  const { base_url: baseUrl, workspace, producer, consumer } = service.ready;
  const accountOf = ({ client_id, client_secret }: typeof producer | typeof consumer): Account => ({
    baseUrl,
    workspace,
    clientId: client_id,
    clientSecret: client_secret,
  });
  const more: Account[] = [];
  while (more.length < consumers - 1) {
    const app = `bench-${more.length}`;
    const flags = ['--kind', 'consumer', '--workspace', workspace, '--app', app, '--json'];
    const made = JSON.parse(await service.sombus('connection', 'create', ...flags));
    more.push(accountOf({ ...made, client_id: made.connection_id }));
  }
  return { producer: accountOf(producer), consumers: [accountOf(consumer), ...more] };
};

type OnAttempt = (attempt: Attempt) => void;

/** How much faster than a day the newsroom plays. */
const newsroomSpeed = 100;

/** The connections of a newsroom in a workspace of its own, by the names of its variables. */
const newsroomVariables = async (service: MeasuredService) => {
  const made = async (...create: readonly string[]) =>
    JSON.parse(await service.sombus(...create, '--json'));
  const { organisation_id: org } = await made('org', 'create', '--name', 'Fennel Quay');
  const { workspace_id: id } = await made(
    'workspace',
    'create',
    '--org',
    org,
    '--name',
    'Newsroom',
  );
  const out = join(service.data, 'bench-newsroom.env');
  const apply = ['connections', 'apply', 'examples/newsroom.yaml', '--workspace', id];
  await service.sombus(...apply, '--out', out);
  const read = parseEnv(readFileSync(out, 'utf8').replaceAll(/^export /gm, ''));
  return { SOMBUS_BASE_URL: service.ready.base_url, ...read };
};

/** Plays the day until the trial or the day ends. @returns how many messages were accepted */
const playNewsroom = async (
  service: MeasuredService,
  onAttempt: OnAttempt,
  signal: AbortSignal,
): Promise<number> => {
  const variables = await newsroomVariables(service);
  const connected = (role: RoleName, kind: 'PRODUCER' | 'CONSUMER') => {
    const prefix = `SOMBUS_NEWSROOM_${role.toUpperCase()}_${kind}`;
    return connect({ ...fromEnvironment(variables, prefix), onAttempt });
  };
  const day = dayOf('2026-05-04');
  if (day === undefined) throw new Error('The newsroom has no such day.');
  let accepted = 0;
  await playDay({
    day,
    speed: newsroomSpeed,
    roles: new Map(
      roleNames.map(role => [
        role,
        { producer: connected(role, 'PRODUCER'), consumer: connected(role, 'CONSUMER') },
      ]),
    ),
    time: systemOutside,
    signal,
    report({ outcome }) {
      if (outcome === 'accepted') accepted += 1;
    },
  }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return accepted;
};

const tryTypescript = async (
  service: MeasuredService,
  { producer, consumers: accounts }: Awaited<ReturnType<typeof accountsOf>>,
  perSecond: number,
): Promise<Trial> => {
  const requests: number[] = [];
  const publishTimes: number[] = [];
  let lags: number[] = [];
  let refused = 0;
  let published = 0;
  let ended = 0;
  const onAttempt = ({ status, milliseconds }: Attempt): void => {
    requests.push(Date.now() - milliseconds);
    if (status === 429) refused += 1;
  };
  const stop = new AbortController();
  const newsroom = values.newsroom ? playNewsroom(service, onAttempt, stop.signal) : undefined;
  const consume = async (bus: Bus): Promise<void> => {
    for await (const { enqueuedAt } of bus.consume({ signal: stop.signal }))
      lags.push(Date.now() - Date.parse(enqueuedAt));
  };
  const consuming = accounts.map(account =>
    consume(connect({ ...account, onAttempt })).catch(() => {
      ended += 1;
    }),
  );
  const bus = connect({ ...producer, onAttempt });
  const publish = async (): Promise<void> => {
    const began = Date.now();
    const { outcome } = await bus.publish(storyOf(4096).text);
    publishTimes.push(Date.now() - began);
    if (outcome === 'accepted' || outcome === 'duplicate') published += 1;
  };
  const settled = async (count: number): Promise<void> => {
    const end = Date.now() + 180_000;
    while (lags.length < count && ended === 0 && Date.now() < end) await setTimeout(100);
  };
  const began = Date.now();
  const publishes: Promise<void>[] = [];
  for (let sent = 0; sent < seconds * perSecond; sent += 1) {
    await setTimeout(Math.max(0, began + (sent * 1000) / perSecond - Date.now()));
    publishes.push(publish());
  }
  await Promise.all(publishes);
  await settled(published * accounts.length);
  const streamLags = lags;
  lags = [];
  await setTimeout(silence);
  await publish();
  await settled(accounts.length);
  stop.abort();
  await Promise.all(consuming);
  const newsroomAccepted = await newsroom;
  const delivered = streamLags.length + lags.length;
  return {
    requests,
    refused,
    published,
    delivered,
    ended,
    publishTimes,
    lags: streamLags,
    silenceLags: lags,
    ...defined({ newsroomAccepted }),
  };
};

const tryPython = async (
  accounts: Awaited<ReturnType<typeof accountsOf>>,
  perSecond: number,
): Promise<Trial> => {
  const tools = pythonTools('httpx');
  if (tools === undefined) throw new Error('httpx cannot be installed: there is no Python trial.');
  try {
    const plan = JSON.stringify({ ...accounts, perSecond, seconds, silence: silence / 1000 });
    const root = process.cwd();
    const { stdout } = await promisify(execFile)(
      tools.bin('python'),
      [join(root, 'test/bench/pacing.py')],
      {
        env: {
          ...process.env,
          PYTHONPATH: join(root, 'clients/python/src'),
          // An error would show arguments, and with them the secrets.
          SOMBUS_PACING_PLAN: plan,
        },
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    return JSON.parse(stdout);
  } finally {
    tools.close();
  }
};

/** The figures of a rate, each with the most that it may be. */
const limitsOf = (perSecond: number, trial: Trial) => {
  const expected = trial.published * consumers;
  const refusedPercent = (100 * trial.refused) / trial.requests.length;
  const isEdge = perSecond >= 5;
  return [
    ['refused, % of requests', refusedPercent, isEdge ? 1 : 0],
    ['requests in the busiest minute', busiestMinute(trial.requests), isEdge ? undefined : 600],
    ['deliveries missing', expected - trial.delivered, 0],
    ['consumers ended', trial.ended, 0],
    ['publish p95, ms', percentileOf(trial.publishTimes, 95), isEdge ? 3_000 : 1_000],
    ['accepted to delivered p50, ms', percentileOf(trial.lags, 50), undefined],
    [
      'accepted to delivered p95, ms',
      percentileOf(trial.lags, 95),
      perSecond <= 1 ? 3_000 : isEdge ? undefined : 6_000,
    ],
    ['after silence, ms at most', Math.max(...trial.silenceLags), 300],
    ...(trial.newsroomAccepted === undefined
      ? []
      : ([['messages of the newsroom', trial.newsroomAccepted, undefined]] as const)),
  ] as const;
};

const trial = async (perSecond: number): Promise<void> => {
  const folder = temporaryFolder();
  const service = await startMeasured(checkoutAt('.'), folder.path, { hasLimits: true });
  try {
    const accounts = await accountsOf(service);
    const seen = values.python
      ? await tryPython(accounts, perSecond)
      : await tryTypescript(service, accounts, perSecond);
    const rows = limitsOf(perSecond, seen).map(([name, value, most]) => {
      const isMissed = most !== undefined && !(value <= most);
      if (isMissed) process.exitCode = 1;
      return [
        name,
        digits(value),
        most === undefined ? '' : `≤ ${most}${isMissed ? ' missed' : ''}`,
      ];
    });
    const language = values.python ? 'Python' : 'TypeScript';
    const load = loadavg()[0] ?? 0;
    print(
      `\n${language}, ${perSecond} a second for ${seconds} s, load average ${load.toFixed(1)}\n`,
    );
    print(table(['8 consumers, 1 producer', 'measured', 'target'], rows));
  } finally {
    await service.stop('SIGKILL');
    folder.remove();
  }
};

const main = async (): Promise<void> => {
  for (const rate of values.rates.split(',')) await trial(Number(rate));
};

void main();

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environments } from '../lib/contract/environments.ts';
import { functionSizes, jobs, probeFunction, tracedShare } from '../lib/contract/functions.ts';
import { daySeconds, limits } from '../lib/contract/limits.ts';
import { customMetrics } from '../lib/contract/metrics.ts';
import { defaultRequestsPerMinute } from '../lib/kit/client/pace.ts';
import { type HouseFigures, simulateHouse } from '../test/simulation/paced-house.ts';
import { type Batch, type Measured, measured, messagesPerPull, type Tally } from './cost-counts.ts';
import { synthesisedStacks } from './synthesise-templates.ts';

// Writes docs/cost.md: cost-page.txt, filled with what was counted on the local engines and what
// that costs by a price list.

/** Of the page, by their names; a list is one of lines. */
type Figures = Readonly<Record<string, string | number | readonly string[]>>;

/** On-demand list prices of us-east-1 in US dollars, without free allowances. */
const prices = {
  date: 'November 2025',
  gatewayRequest: 3.5 / 1e6,
  firewallRequest: 0.6 / 1e6,
  functionRequest: 0.2 / 1e6,
  functionGigabyteSecond: 0.000_013_333_4,
  writeUnit: 0.625 / 1e6,
  readUnit: 0.125 / 1e6,
  queueRequest: 0.5 / 1e6,
  logGigabyte: 0.5,
  trace: 5 / 1e6,
  signature: 15 / 1e6,
  storedGigabyteMonth: 0.25,
  recoverableGigabyteMonth: 0.2,
  askedMetric: 0.01 / 1e3,
  blockedRequestLogGigabyte: 0.5,
  /**
   * What Firehose takes in; compressed, as CloudWatch Logs sends it, a tenth of what was logged.
   */
  archivedGigabyte: 0.029,
  firewallPerMonth: 5,
  firewallRulePerMonth: 1,
  metricPerMonth: 0.3,
  alarmPerMonth: 0.1,
  dashboardPerMonth: 3,
  keyPerMonth: 1,
} as const;

/**
 * What cannot be counted here: how long a function runs on AWS, warm, and how much one request
 * logs.
 */
const assumed = {
  publishSeconds: 0.06,
  pullSeconds: 0.03,
  ackSeconds: 0.03,
  authoriserSeconds: 0.005,
  jobSeconds: 0.2,
  probeSeconds: 1.5,
  /** The function's own line, those of Lambda, and the line of the access log. */
  logBytesPerRequest: 1_000,
  blockedLogBytes: 2_000,
} as const;

const compute = (megabytes: number, seconds: number): number =>
  (megabytes / 1024) * seconds * prices.functionGigabyteSecond;

/** What every request costs before its function does anything. */
const request = (route: keyof typeof functionSizes, seconds: number): number =>
  prices.gatewayRequest +
  prices.firewallRequest +
  prices.functionRequest +
  compute(functionSizes[route].memoryMegabytes, seconds) +
  tracedShare * prices.trace +
  (assumed.logBytesPerRequest / 1e9) * prices.logGigabyte;

const data = ({ readUnits, writeUnits, queueRequests, calls }: Tally): number =>
  readUnits * prices.readUnit +
  writeUnits * prices.writeUnit +
  queueRequests * prices.queueRequest +
  (calls['Sign'] ?? 0) * prices.signature;

/** One run of the authoriser: API Gateway asks it again after ten seconds. */
const authorised = ({ authorise }: Measured): number =>
  prices.functionRequest +
  compute(functionSizes.authoriser.memoryMegabytes, assumed.authoriserSeconds) +
  data(authorise);

const million = (dollars: number): string => (dollars * 1e6).toFixed(2);

const perMillion = (entry: Measured) => {
  const { consumers, publish, pull, ack } = entry;
  const producer = request('publish', assumed.publishSeconds) + data(publish);
  const requests = request('pull', assumed.pullSeconds) + request('ack', assumed.ackSeconds);
  const consumer = requests / messagesPerPull + data(pull) + data(ack);
  return [
    consumers,
    million(producer),
    million(consumer * consumers),
    million(producer + consumer * consumers),
  ];
};

const monthSeconds = 30 * daySeconds;

/** What a pull, or its ack, of so many messages costs: between two counts, evenly more. */
const batchDollars = ({ batches }: Measured, part: 'pull' | 'ack', messages: number): number => {
  const above = batches.find(one => one.messages >= messages) ?? batches.at(-1);
  const below = batches.findLast(one => one.messages <= messages) ?? batches[0];
  if (!above || !below) throw new Error('No batches were counted.');
  const dollars = (one: Batch) => data(one[part]);
  if (above.messages === below.messages) return dollars(below);
  const share = (messages - below.messages) / (above.messages - below.messages);
  return dollars(below) + share * (dollars(above) - dollars(below));
};

/** Consumers of the newsroom that the table of keeping up is about. */
const newsroomConsumers = 8;

/** An hour of one consumer, with the official client, that keeps up with messages one by one. */
const keepUp = (perSecond: number, requestsPerMinute: number): Promise<HouseFigures> =>
  simulateHouse({
    seed: 1,
    consumers: 1,
    minutes: 60,
    perSecond,
    requestsPerMinute,
    allowed: Number.POSITIVE_INFINITY,
  });

/** Of one consumer, in dollars a message: its requests and what they ask, and its waiting. */
const keepingUpDollars = (entry: Measured, of: HouseFigures) => {
  const pulls = of.pulled.reduce((sum, size) => sum + batchDollars(entry, 'pull', size), 0);
  const acks = of.pulled.reduce((sum, size) => sum + batchDollars(entry, 'ack', size), 0);
  const requests =
    of.pulled.length * request('pull', assumed.pullSeconds) +
    of.acks * request('ack', assumed.ackSeconds);
  const waiting = compute(functionSizes.pull.memoryMegabytes, of.waitedSeconds);
  return {
    working: (pulls + acks + requests) / of.accepted,
    waiting: waiting / of.accepted,
  };
};

const publishingDollars = ({ publish }: Measured): number =>
  request('publish', assumed.publishSeconds) + data(publish);

const paces: readonly (readonly [words: string, requestsPerMinute: number])[] = [
  ['as the clients do', defaultRequestsPerMinute],
  ['at half of that', defaultRequestsPerMinute / 2],
  ['not at all', Number.POSITIVE_INFINITY],
];

const keepingUpRow = (entry: Measured, rate: number, words: string, played: HouseFigures) => {
  const { working, waiting } = keepingUpDollars(entry, played);
  const publishing = publishingDollars(entry);
  return row([
    rate,
    words,
    (played.accepted / played.pulled.length).toFixed(1),
    million(publishing),
    million(newsroomConsumers * working),
    million(publishing + newsroomConsumers * working),
    million(newsroomConsumers * waiting),
  ]);
};

const keepingUpRows = async (entry: Measured): Promise<readonly string[]> => {
  const rows: string[] = [];
  for (const rate of [0.2, 1, 4])
    for (const [words, requestsPerMinute] of paces)
      rows.push(keepingUpRow(entry, rate, words, await keepUp(rate, requestsPerMinute)));
  return rows;
};

/** What the cheapest changes would save a newsroom with a message a second. */
const savingRows = async (entry: Measured): Promise<readonly string[]> => {
  const paced = await keepUp(1, defaultRequestsPerMinute);
  const half = await keepUp(1, defaultRequestsPerMinute / 2);
  const dollars = (of: HouseFigures) => newsroomConsumers * keepingUpDollars(entry, of).working;
  const requests = (newsroomConsumers * (paced.pulled.length + paced.acks)) / paced.accepted;
  const pulls = (newsroomConsumers * paced.pulled.length) / paced.accepted;
  const [single] = entry.batches;
  if (!single) throw new Error('No batches were counted.');
  const records = single.ack.records.writeUnits;
  return [
    [
      `half the requests (\`requestsPerMinute: ${defaultRequestsPerMinute / 2}\`): messages ` +
        'come up to six seconds late',
      dollars(paced) - dollars(half),
    ],
    [
      'no place for a poll that waits (two write units): a caller could hold every copy of the function',
      pulls * 2 * prices.writeUnit,
    ],
    [
      `what a pull and its ack record in one item, with the ack (${records} write units): ` +
        'until then, nobody would see who holds a message',
      pulls * records * prices.writeUnit,
    ],
    [
      'a hundredth of the requests traced, not a twentieth',
      requests * (tracedShare - 0.01) * prices.trace,
    ],
  ].map(([what, saved]) => row([String(what), million(Number(saved))]));
};

/**
 * A poll of twenty seconds, again and again. Each runs the authoriser: its last result is older
 * than ten seconds.
 */
const waitingPerMonth = (entry: Measured): number => {
  const polls = monthSeconds / limits.pullWaitSeconds.max;
  return (
    polls * (request('pull', limits.pullWaitSeconds.max) + authorised(entry) + data(entry.wait))
  );
};

/**
 * The write units of a publish of a snapshot with one consumer, none of whose items is longer than
 * a kilobyte.
 */
const split: readonly (readonly [string, string, number])[] = [
  [
    'ledger',
    'the commit: its id, the head of its log, its entry and its story, two each in a transaction',
    8,
  ],
  [
    'ledger',
    'in the same transaction, its places in the indexes of the archive and of pending logs',
    4,
  ],
  ['ledger', 'after the sends: the head, and its place among the pending logs', 2],
  ['activity', 'the count of the connection’s hour', 1],
  ['activity', 'the title of its story, for the search', 1],
];

const splitRows = ({ publish }: Measured): readonly string[] => {
  const sum = split.reduce((total, [, , units]) => total + units, 0);
  if (sum !== Math.round(publish.writeUnits))
    throw new Error(`The split makes ${sum} write units, not ${publish.writeUnits}.`);
  return split.map(row);
};

/** Requests of somebody who opens the portal for the first time after a release. */
const pageRequests = 15;

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

const callRows = (all: readonly Measured[]): readonly string[] => {
  const parts = ['publish', 'pull', 'ack', 'wait', 'token', 'authorise'] as const;
  return parts.flatMap(part => {
    const names = [...new Set(all.flatMap(entry => Object.keys(entry[part].calls)))].sort();
    const counted = names.map(name =>
      row([part, name, ...all.map(entry => Number((entry[part].calls[name] ?? 0).toFixed(2)))]),
    );
    const units = (name: string, of: (tally: Tally) => number) =>
      row([part, name, ...all.map(entry => Number(of(entry[part]).toFixed(2)))]);
    return [
      ...counted,
      units('read units', t => t.readUnits),
      units('write units', t => t.writeUnits),
    ];
  });
};

const deployed = synthesisedStacks('sandbox').flatMap(({ resources }) => resources);
const ofType = (type: string) =>
  deployed.flatMap(({ Type, Properties }) => {
    if (Type === type) return [Properties];
    return [];
  });

const firewallRules = ofType('AWS::WAFv2::WebACL').reduce(
  (sum, { Rules }) => sum + Rules.length,
  0,
);

const alarmCount = ofType('AWS::CloudWatch::Alarm').length;

/** An alarm is paid per metric that it adds up. */
const alarmMetrics = ofType('AWS::CloudWatch::Alarm').reduce(
  (sum, { Metrics = [{ MetricStat: true }] }) =>
    sum + Metrics.filter(({ MetricStat }: { readonly MetricStat?: unknown }) => MetricStat).length,
  0,
);

const minuteJobs = Object.values(jobs).filter(({ everyMinutes }) => everyMinutes === 1).length;

/**
 * The scheduled functions when there is nothing to do: the relay looks three times into each
 * partition of its index.
 */
const jobsPerMonth = Object.values(jobs).reduce((sum, { everyMinutes, memoryMegabytes }) => {
  const runs = monthSeconds / (60 * everyMinutes);
  return sum + runs * (prices.functionRequest + compute(memoryMegabytes, assumed.jobSeconds));
}, 0);

const relayReads = (monthSeconds / 60) * (3 * limits.pendingShards + 1) * 0.5 * prices.readUnit;

/**
 * A run of the probe: two tokens, a dry run, a publish, a pull, an ack, and the authoriser before
 * four of them.
 */
const probeRun = (entry: Measured): number =>
  prices.functionRequest +
  compute(probeFunction.size.memoryMegabytes, assumed.probeSeconds) +
  2 * (request('token', assumed.pullSeconds) + data(entry.token)) +
  2 * request('publish', assumed.publishSeconds) +
  data(entry.publish) +
  request('pull', assumed.probeSeconds) +
  request('ack', assumed.ackSeconds) +
  messagesPerPull * (data(entry.pull) + data(entry.ack)) +
  4 * authorised(entry);

const probeRuns = monthSeconds / (60 * probeFunction.everyMinutes);

const idleOf = (entry: Measured): readonly (readonly [string, number])[] => [
  ['the firewall', prices.firewallPerMonth],
  [`its ${firewallRules} rules`, firewallRules * prices.firewallRulePerMonth],
  ['the dashboard', prices.dashboardPerMonth],
  [
    `${Object.keys(customMetrics).length} metrics of our own`,
    Object.keys(customMetrics).length * prices.metricPerMonth,
  ],
  [`${alarmCount} alarms on ${alarmMetrics} metrics`, alarmMetrics * prices.alarmPerMonth],
  ['the signing key', prices.keyPerMonth],
  [
    `${Object.keys(jobs).length} scheduled functions, ${minuteJobs} of them every minute`,
    jobsPerMonth,
  ],
  ['reads of the index of pending logs', relayReads],
  [`the probe, every ${probeFunction.everyMinutes} minutes`, probeRuns * probeRun(entry)],
];

const totalOf = (entry: Measured) => idleOf(entry).reduce((sum, [, dollars]) => sum + dollars, 0);

/** What one call of a kind records, and what that is of the call's whole cost. */
const recordRows = ({ publish, repeated, refused, pull, ack }: Measured): readonly string[] => {
  const calls: readonly (readonly [string, Tally, number, keyof typeof functionSizes, number])[] = [
    ['a publish that is accepted', publish, 1, 'publish', assumed.publishSeconds],
    ['a publish that is repeated', repeated, 1, 'publish', assumed.publishSeconds],
    ['a publish that is refused', refused, 1, 'publish', assumed.publishSeconds],
    [`a pull of ${messagesPerPull} messages`, pull, messagesPerPull, 'pull', assumed.pullSeconds],
    [`an ack of ${messagesPerPull} messages`, ack, messagesPerPull, 'ack', assumed.ackSeconds],
  ];
  return calls.map(([what, tally, messages, how, seconds]) => {
    const { calls: asked, writeUnits } = tally.records;
    const dollars = writeUnits * messages * prices.writeUnit;
    const whole = request(how, seconds) + data(tally) * messages;
    return row([
      what,
      asked * messages,
      writeUnits * messages,
      million(dollars),
      `${Math.round((100 * dollars) / whole)} %`,
    ]);
  });
};

/** Months that a message stays in the ledger of the sandbox. */
const keptMonths = (environments.sandbox.archiveDays + limits.entryGraceDays) / 30;

const chunkBytes = 64 * 1024;

/** The calls of a pull of one message, and of its ack. */
const singleCalls = ({ batches: [single] }: Measured): readonly string[] => {
  if (!single) throw new Error('No batches were counted.');
  const { pull, ack } = single;
  const names = [...new Set([...Object.keys(pull.calls), ...Object.keys(ack.calls)])].sort();
  return names.map(name => row([name, pull.calls[name] ?? 0, ack.calls[name] ?? 0]));
};

/** What requests, and what they ask of AWS, cost a month when nothing happens. */
const monthlyFigures = (first: Measured): Figures => {
  const idle = totalOf(first);
  const firewall = prices.firewallPerMonth + firewallRules * prices.firewallRulePerMonth;
  const relayRun = prices.functionRequest + compute(jobs.relay.memoryMegabytes, assumed.jobSeconds);
  const minutePoll = request('pull', assumed.pullSeconds) + authorised(first) + data(first.wait);
  const polls = monthSeconds / limits.pullWaitSeconds.max;
  const minutes = monthSeconds / 60;
  return {
    idle: idle.toFixed(2),
    idleRows: idleOf(first).map(([what, dollars]) => row([what, dollars.toFixed(2)])),
    firewallPercent: Math.round((100 * firewall) / idle),
    perConsumer: (4 * 24 * 30 * (prices.askedMetric + prices.queueRequest)).toFixed(2),
    canary: (probeRuns * 0.0012).toFixed(2),
    waitSeconds: limits.pullWaitSeconds.max,
    waiting: waitingPerMonth(first).toFixed(2),
    waitingMemory: compute(functionSizes.pull.memoryMegabytes, monthSeconds).toFixed(2),
    waitingGateway: (polls * prices.gatewayRequest).toFixed(2),
    minutePolls: (minutes * minutePoll).toFixed(2),
    cloudRole: ((monthSeconds / 20) * prices.queueRequest).toFixed(2),
    relay: (minutes * relayRun + relayReads).toFixed(2),
    otherFirewall: (prices.firewallPerMonth + 4 * prices.firewallRulePerMonth).toFixed(2),
  };
};

/** What a million messages, or what comes with them, cost. */
const millionFigures = (first: Measured): Figures => {
  const gigabytes = (first.storedBytes * 1e6) / 1e9;
  const gigabyteMonth = prices.storedGigabyteMonth + prices.recoverableGigabyteMonth;
  const units = Math.round(first.publish.writeUnits);
  const chunks = Math.ceil(limits.messageBytes / chunkBytes);
  const logged = (0.1 * 3 * (assumed.logBytesPerRequest * 1.2e6)) / 1e9;
  const blocked = assumed.blockedLogBytes / 1e9;
  const streamed = prices.functionRequest + compute(jobs.relay.memoryMegabytes, assumed.ackSeconds);
  return {
    messageBytes: Math.round(first.bytes),
    spreadEvenly: million(1.2 * authorised(first)),
    publishUnits: units,
    publishUnitsApart: units - 6,
    savedApart: million(6 * prices.writeUnit),
    splitRows: splitRows(first),
    storage: (gigabytes * keptMonths * gigabyteMonth).toFixed(2),
    keptDays: Math.round(keptMonths * 30),
    gigabytes: gigabytes.toFixed(2),
    authorised: million(authorised(first)),
    tokens: million(request('token', assumed.pullSeconds) + data(first.token)),
    chunkKilobytes: chunkBytes / 1024,
    maxBytes: limits.messageBytes,
    chunks,
    longMessages: million(2 * (chunks - 1) * prices.queueRequest),
    place: million(first.wait.writeUnits * prices.writeUnit),
    logArchive: (logged * prices.archivedGigabyte).toFixed(2),
    firewallLogs: million(blocked * prices.blockedRequestLogGigabyte),
    recordRows: recordRows(first),
    attemptsKept: limits.attemptsKeptPerSecond,
    stream: million(streamed),
    pageRequests,
    firstVisits: (1e4 * pageRequests * request('portal-pages', assumed.pullSeconds)).toFixed(2),
  };
};

const assumptions: Figures = {
  priceDate: prices.date,
  messagesPerPull,
  publishMilliseconds: assumed.publishSeconds * 1000,
  pullMilliseconds: assumed.pullSeconds * 1000,
  ackMilliseconds: assumed.ackSeconds * 1000,
  logBytes: assumed.logBytesPerRequest,
  newsroomConsumers,
  requestsPerMinute: defaultRequestsPerMinute,
};

const consumersOf = ({ consumers }: Measured): string =>
  consumers === 1 ? '1 consumer' : `${consumers} consumers`;

const figuresOf = async (all: readonly Measured[], newsroom: Measured): Promise<Figures> => {
  const [first] = all;
  if (!first) throw new Error('Nothing was measured.');
  return {
    ...assumptions,
    ...millionFigures(first),
    ...monthlyFigures(first),
    millionRows: all.map(entry => row(perMillion(entry))),
    keepingUpRows: await keepingUpRows(newsroom),
    savingRows: await savingRows(newsroom),
    batchRows: newsroom.batches.map(({ messages, pull, ack }) =>
      row([messages, pull.writeUnits, ack.writeUnits]),
    ),
    singleCalls: singleCalls(newsroom),
    callHeads: all.map(consumersOf).join(' | '),
    callRules: all.map(() => '---').join(' | '),
    callRows: callRows(all),
  };
};

/** @param template with the name of a figure in double braces; lists become lines */
const page = (template: string, figures: Figures): string =>
  template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const figure = figures[name];
    if (figure === undefined) throw new Error(`The page names the figure ${name}: there is none.`);
    return Array.isArray(figure) ? figure.join('\n') : String(figure);
  });

const main = async (): Promise<void> => {
  const all: Measured[] = [];
  for (const consumers of [1, 3, 10]) all.push(await measured(consumers));
  const newsroom = await measured(newsroomConsumers);
  const template = readFileSync(join(__dirname, 'cost-page.txt'), 'utf8');
  const text = page(template, await figuresOf(all, newsroom));
  writeFileSync(join(__dirname, '../docs/cost.md'), text);
  console.log('docs/cost.md is written.');
};

void main();

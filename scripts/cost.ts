import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environments } from '../lib/contract/environments.ts';
import { functionSizes, jobs, probeFunction, tracedShare } from '../lib/contract/functions.ts';
import { daySeconds, limits } from '../lib/contract/limits.ts';
import { customMetrics } from '../lib/contract/metrics.ts';
import { defaultRequestsPerMinute } from '../lib/kit/client/pace.ts';
import { type Batch, type Measured, measured, messagesPerPull, type Tally } from './cost-counts.ts';
import { type KeepingUp, keepUp } from './cost-keeping-up.ts';
import { synthesisedStacks } from './synthesise-templates.ts';

// Writes docs/cost.md from what was counted on the local engines and a price list.

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

/** Of one consumer, in dollars a message: its requests and what they ask, and its waiting. */
const keepingUpDollars = (entry: Measured, of: KeepingUp) => {
  const pulls = of.pulls.reduce((sum, size) => sum + batchDollars(entry, 'pull', size), 0);
  const acks = of.pulls.reduce((sum, size) => sum + batchDollars(entry, 'ack', size), 0);
  const requests =
    of.pulls.length * request('pull', assumed.pullSeconds) +
    of.acks * request('ack', assumed.ackSeconds);
  const waiting = compute(functionSizes.pull.memoryMegabytes, of.waitedSeconds);
  return {
    working: (pulls + acks + requests) / of.messages,
    waiting: waiting / of.messages,
  };
};

const publishingDollars = ({ publish }: Measured): number =>
  request('publish', assumed.publishSeconds) + data(publish);

const paces: readonly (readonly [words: string, requestsPerMinute: number])[] = [
  ['as the clients do', defaultRequestsPerMinute],
  ['at half of that', defaultRequestsPerMinute / 2],
  ['not at all', Number.POSITIVE_INFINITY],
];

const keepingUpRows = (entry: Measured): readonly string[] =>
  [0.2, 1, 4].flatMap(rate =>
    paces.map(([words, requestsPerMinute]) => {
      const played = keepUp(rate, requestsPerMinute);
      const { working, waiting } = keepingUpDollars(entry, played);
      const publishing = publishingDollars(entry);
      return row([
        rate,
        words,
        (played.messages / played.pulls.length).toFixed(1),
        million(publishing),
        million(newsroomConsumers * working),
        million(publishing + newsroomConsumers * working),
        million(newsroomConsumers * waiting),
      ]);
    }),
  );

/** What the cheapest changes would save a newsroom with a message a second. */
const savingRows = (entry: Measured): readonly string[] => {
  const paced = keepUp(1, defaultRequestsPerMinute);
  const half = keepUp(1, defaultRequestsPerMinute / 2);
  const dollars = (of: KeepingUp) => newsroomConsumers * keepingUpDollars(entry, of).working;
  const requests = (newsroomConsumers * (paced.pulls.length + paced.acks)) / paced.messages;
  const pulls = (newsroomConsumers * paced.pulls.length) / paced.messages;
  const [single] = entry.batches;
  if (!single) throw new Error('No batches were counted.');
  const records = single.ack.records.writeUnits;
  return [
    [
      `half the requests (\`requestsPerMinute: ${defaultRequestsPerMinute / 2}\`): messages come up to six seconds late`,
      dollars(paced) - dollars(half),
    ],
    [
      'no place for a poll that waits (two write units): a caller could hold every copy of the function',
      pulls * 2 * prices.writeUnit,
    ],
    [
      `what a pull and its ack record in one item, with the ack (${records} write units): until then, nobody would see who holds a message`,
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
  deployed.flatMap(({ Type, Properties }) => (Type === type ? [Properties] : []));

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

const page = (all: readonly Measured[], newsroom: Measured): string => {
  const [first] = all;
  if (!first) throw new Error('Nothing was measured.');
  const now = waitingPerMonth(first);
  const idleTotal = totalOf(first);
  const gigabytes = (first.storedBytes * 1e6) / 1e9;
  const storage =
    gigabytes * keptMonths * (prices.storedGigabyteMonth + prices.recoverableGigabyteMonth);
  const chunks = Math.ceil(limits.messageBytes / chunkBytes);
  return `# What it costs

Written by \`npm run cost\`: calls and units are counted on the local engines with the messages of the demo story (${Math.round(first.bytes)} bytes each
on average), warm functions, and one publish at a time. The publishes follow one
another, as in a burst. Spread evenly over a month, each call also runs the authoriser: ${million(1.2 * authorised(first))} more for a million messages and one consumer. Prices are list prices for us-east-1, ${prices.date}, without free
allowances. They exclude taxes, data transfer out and support. Check current prices before you decide.

## Dollars per million messages

Consumers pull and acknowledge ${messagesPerPull} messages at a time. Assumptions: ${assumed.publishSeconds * 1000} ms per publish, ${assumed.pullSeconds * 1000} ms per pull that finds
messages, ${assumed.ackSeconds * 1000} ms per ack, ${assumed.logBytesPerRequest} bytes of logs per request, one request in twenty traced.

| consumers | publishing | pulling and acknowledging | together |
| --- | --- | --- | --- |
${all.map(entry => row(perMillion(entry))).join('\n')}

A publish takes ${Math.round(first.publish.writeUnits)} write units:

| table | what | units |
| --- | --- | --- |
${splitRows(first).join('\n')}

With a commit that is no transaction, it would take ${Math.round(first.publish.writeUnits) - 6}, and cost ${million(6 * prices.writeUnit)} less; but a message would be accepted in parts, and each part would need somebody who finishes it.

To these come:

- Storage: ${storage.toFixed(2)} for the ${Math.round(environments.sandbox.archiveDays + limits.entryGraceDays)} days that the sandbox keeps a million of these messages (${gigabytes.toFixed(2)} GB with point-in-time recovery; indexes not counted).
- Authoriser runs: ${million(authorised(first))} per million runs. A caller that is never silent causes one run in ten seconds for each address.
- Tokens: ${million(request('token', assumed.pullSeconds) + data(first.token))} per million, most of it for the signature. A client that keeps its token for its hour causes 720 a month.
- Large messages: SQS counts each ${chunkBytes / 1024} KB as a request. A message of ${limits.messageBytes} bytes counts as ${chunks} when it is sent and as ${chunks} when it is received, for each consumer: ${million(2 * (chunks - 1) * prices.queueRequest)} more per million and consumer.
- A pull that may wait: ${million(first.wait.writeUnits * prices.writeUnit)} per million for its place, twice that if it ends before its wait is over.
- Log archive, if \`logArchiveDays\` is set: ${(((0.1 * 3 * (assumed.logBytesPerRequest * 1.2e6)) / 1e9) * prices.archivedGigabyte).toFixed(2)} for the requests of one consumer and its producer, and two cents a month for the files of a quiet month (2,880 puts).
- Firewall logs: only refused and counted requests are logged, about ${million((assumed.blockedLogBytes / 1e9) * prices.blockedRequestLogGigabyte)} per million.

## Consumers that keep up

The table above is about consumers that lag, or come now and then: their batches are full. One that keeps up gets messages as they come. Here are ${newsroomConsumers} of them in one newsroom, for a million publishes that come
evenly: how many messages a pull brings is played with the client's own pacing (\`requestsPerMinute\`, ${defaultRequestsPerMinute} for pulls and acks together), and what pulls and acks of so many messages ask of AWS is counted. \`npm run deployed\` checks
that the deployed functions ask for the same.

| messages a second | paced | messages a pull | publishing | pulling and acknowledging | together | memory of polls that wait |
| --- | --- | --- | --- | --- | --- | --- |
${keepingUpRows(newsroom).join('\n')}

The last column is what [waiting](#a-waiting-consumer) costs until a million messages have come, which takes longer the fewer there are: it is paid by the month, not by the message.

The cheapest changes would save, of a million publishes at one a second:

| change | dollars |
| --- | --- |
${savingRows(newsroom).join('\n')}

A pull that waits, and its ack, ask for so many write units:

| messages | pull | ack |
| --- | --- | --- |
${newsroom.batches.map(one => row([one.messages, one.pull.writeUnits, one.ack.writeUnits])).join('\n')}

With one message, these are the calls, but for what functions remember:

| call | pull | ack |
| --- | --- | --- |
${singleCalls(newsroom).join('\n')}

## What the records of activity add

What happened to a message and to a connection is written down for as long as the archive. A call waits for that write, for at most a second, and never fails because of it. Refused and
repeated publishes are counted; of each connection, the first ${limits.attemptsKeptPerSecond} in a second are also kept one by one. One write unit of each row is the count of the connection's minute, from which the
portal's overview is made. The messages of a pull or an ack are one item if they were accepted in the same minute, as here.

| per call | calls of DynamoDB | write units | dollars per million calls | of the whole call |
| --- | --- | --- | --- | --- |
${recordRows(first).join('\n')}

## Dollars per month without any messages

An idle environment: ${idleTotal.toFixed(2)}.

| what | dollars |
| --- | --- |
${idleOf(first)
  .map(([what, dollars]) => row([what, dollars.toFixed(2)]))
  .join('\n')}

The firewall is ${Math.round((100 * (prices.firewallPerMonth + firewallRules * prices.firewallRulePerMonth)) / idleTotal)} percent of that. Each consumer costs ${(4 * 24 * 30 * (prices.askedMetric + prices.queueRequest)).toFixed(2)} more: every 15 minutes, SQS is asked for the depth of its queue, and CloudWatch for the age of its oldest message. A CloudWatch Synthetics canary instead of the probe's function would cost ${(probeRuns * 0.0012).toFixed(2)} for its runs alone.

## A waiting consumer

A consumer that polls without a break, ${limits.pullWaitSeconds.max} seconds at a time, and gets nothing, costs ${now.toFixed(2)} dollars a month: ${(compute(functionSizes.pull.memoryMegabytes, monthSeconds)).toFixed(2)} of it for the memory of
the waiting function, ${((monthSeconds / limits.pullWaitSeconds.max) * prices.gatewayRequest).toFixed(2)} for API Gateway. A poll every minute without a wait costs ${((monthSeconds / 60) * (request('pull', assumed.pullSeconds) + authorised(first) + data(first.wait))).toFixed(2)}. A
[cloud role](guides/cloud-roles.md#a-consumers-role) that reads the queue itself costs ${((monthSeconds / 20) * prices.queueRequest).toFixed(2)}.

The memory alone is more than nine tenths of what could be saved: 128 MB are the least that Lambda has, and whoever waits in a function pays for it. It takes a wait outside of functions, such as SQS's own.

128 MB come with a fourteenth of a processor: a pull of ten of the longest messages takes 1.7 seconds there instead of 0.1 (\`npm run bench -- pull-memory\`).

## What was not built

- *DynamoDB Streams instead of the relay's run every minute.* The runs cost ${((monthSeconds / 60) * (prices.functionRequest + compute(jobs.relay.memoryMegabytes, assumed.jobSeconds)) + relayReads).toFixed(2)} a month, with their reads. A stream would invoke the relay for every commit, since a commit is pending until it is sent, and
  find nothing to do: ${million(prices.functionRequest + compute(jobs.relay.memoryMegabytes, assumed.ackSeconds))} for a million publishes, one at a time. Retries wait for a time, not for a change, so the run every minute would stay. What is gained is half a minute after a function died in the middle of a publish.
- *Pages from S3 and CloudFront instead of a function.* A first visit is about ${pageRequests} requests, later ones hardly any, as files have their hash in their names: 10,000 first visits cost ${(1e4 * pageRequests * request('portal-pages', assumed.pullSeconds)).toFixed(2)}, and the data transfer costs the same either way. A distribution needs a firewall of
  its own in us-east-1, ${(prices.firewallPerMonth + 4 * prices.firewallRulePerMonth).toFixed(2)} a month with four rules. The portal's API would see the addresses of CloudFront, so 600 requests a minute would be those of everybody together, unless the firewall believed a header that anybody can send to
  API Gateway directly. A second region would have a stack, a certificate and a bootstrap; sign-in and cookies would need one host for both.

## Calls per message

For \`wait\`, \`token\` and \`authorise\`: per call.

| action | call | ${all.map(({ consumers }) => `${consumers} consumer${consumers === 1 ? '' : 's'}`).join(' | ')} |
| --- | --- | ${all.map(() => '---').join(' | ')} |
${callRows(all).join('\n')}
`;
};

const main = async (): Promise<void> => {
  const all: Measured[] = [];
  for (const consumers of [1, 3, 10]) all.push(await measured(consumers));
  const newsroom = await measured(newsroomConsumers);
  writeFileSync(join(__dirname, '../docs/cost.md'), page(all, newsroom));
  console.log('docs/cost.md is written.');
};

void main();

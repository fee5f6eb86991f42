import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Change } from '../../../lib/access/people/noting.ts';
import { accepted } from '../../../lib/cli/frame/failures.ts';
import { main } from '../../../lib/cli/main.ts';
import type { ReportResponse } from '../../../lib/contract/portal/checks.ts';
import type { TestConnection } from '../../../lib/local/testing/api.ts';
import type { OperatorPorts } from '../../../lib/wiring/operator.ts';
import { checkedBusHere, handExecutor } from '../../checks/checked-bus.ts';
import { targetOf } from '../../support/commands.ts';
import { recordingTerminal } from '../../support/fakes/terminal.ts';
import { unused } from '../../support/fakes/unused.ts';
import { temporaryFolder } from '../../support/service-process.ts';

const bus = checkedBusHere();

/** What the commands have noted for the record of changes. */
const noted: Change[] = [];

const registry = (): OperatorPorts => ({
  ...bus.ports,
  connections: {
    ...unused<OperatorPorts['connections']>('it'),
    find: id => bus.ports.connections.find(id),
  },
  directory: { ...unused<OperatorPorts['directory']>('it'), find: async () => undefined },
  changes: {
    ...unused<OperatorPorts['changes']>('it'),
    note: async change => void noted.push(change),
  },
});

const started = (...args: readonly string[]) => {
  const { terminal, printed: lines, errors } = recordingTerminal();
  const target = targetOf({ registry });
  const ended = main(['node', 'sombus', 'check', ...args, '--data', 'x'], terminal, target);
  return { lines, errors, ended };
};

/** What a command ended with: its exit code and its errors. */
const failed = async (...args: readonly string[]) => {
  const { ended, errors } = started(...args);
  return [await ended, errors.join('\n')];
};

type Pair = readonly [consumer: TestConnection, producer: TestConnection];

const pair = async (): Promise<Pair> => [
  await bus.connect('consumer'),
  await bus.connect('producer'),
];

/** Runs `sombus check executor` while an executor works. */
const checked = async (change: Parameters<typeof handExecutor>[2], ...args: readonly string[]) => {
  const [consumer, producer] = await pair();
  const ids = ['--consumer', consumer.id, '--producer', producer.id];
  return executed([consumer, producer], change, ...ids, ...args);
};

const executed = async (
  [consumer, producer]: Pair,
  change: Parameters<typeof handExecutor>[2],
  ...args: readonly string[]
) => {
  const executor = handExecutor(consumer, producer, change);
  const { lines, errors, ended } = started('executor', ...args);
  let isOver = false;
  const over = ended.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await bus.service.runJobs();
    await executor.learn();
    await executor.work();
    bus.clock.turn(2000);
  }
  return { lines, errors, code: await over, consumer, producer };
};

const one = ['--case', 'raise-flag-on-match/declares'];

test('a line for each case as it is decided, the words that may be said, and the reports', async () => {
  const { path: folder, remove } = temporaryFolder();
  const files = ['html', 'xml', 'json', 'md'].map(end => join(folder, `report.${end}`));
  const reports = files.flatMap(file => ['--report', file]);
  const { lines, code, consumer } = await checked(undefined, ...one, ...reports);
  expect(code).toBe(0);
  expect(noted.map(({ what }) => what)).toEqual(['check.start', 'check.start']);
  expect(lines[0]).toMatch(/^run t[a-z2-7]{12} \(to stop it: sombus check stop t[a-z2-7]{12}\)$/);
  expect(lines.slice(1)).toEqual([
    'It begins when the executor has read the instances that the run registers.',
    'passed   raise-flag-on-match/declares',
    'The chosen cases passed. 1 passed.',
  ]);
  const report: ReportResponse = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
  expect(report).toMatchObject({ passed: true, connections: [{ connection_id: consumer.id }, {}] });
  for (const file of files) expect(readFileSync(file, 'utf8')).toContain(report.run_id);
  const shown = started('show', report.run_id);
  expect(await shown.ended).toBe(0);
  expect(shown.lines).toEqual(lines.slice(2));
  const listed = started('list', consumer.id, '--json');
  await listed.ended;
  expect(JSON.parse(listed.lines.join(''))).toMatchObject([
    { run_id: report.run_id, status: 'finished' },
  ]);
  remove();
});

test('a failed case says what was expected, what was found and what to do, and the command fails', async () => {
  const loud = (texts: readonly string[]) => texts.map(text => text.replace('"flag"', '"inform"'));
  const { lines, errors, code } = await checked(loud, ...one);
  expect([code, errors]).toEqual([1, [expect.stringContaining('The run did not pass. 1 failed.')]]);
  expect(lines[2]).toMatch(
    /^failed {3}raise-flag-on-match\/declares {2}A value that matches raises one flag\. · s1 severity: expected flag; found inform · Take/,
  );
});

test('--json prints the report alone', async () => {
  const { lines } = await checked(undefined, ...one, '--json');
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ kind: 'executor', status: 'finished' });
});

test.each([
  [[], /producer.+consumer.+executor/s],
  [['--consumer', 'caaaaaaaaaaaa', '--producer', 'cbbbbbbbbbbbb'], /unknown option '--consumer'/],
])('without a kind nothing is checked: sombus check %j', async (args, said) => {
  const { terminal, errors } = recordingTerminal();
  const help = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(await main(['node', 'sombus', 'check', ...args], terminal)).toBe(2);
  expect([...errors, ...help.mock.calls.flat()].join()).toMatch(said);
  help.mockRestore();
});

test('what cannot be started or found is refused in one sentence', async () => {
  const [{ id: consumer }, { id: producer }] = await pair();
  const refusal = (words: string) => [1, expect.stringContaining(words)];
  expect(await failed('executor', '--consumer', consumer, '--producer', consumer)).toEqual(
    refusal(`refused: ${consumer} is a consumer`),
  );
  for (const [kind, id] of Object.entries({ consumer, producer }))
    expect(await failed(kind, `--${kind}`, id, '--case', 'producer/nothing')).toEqual(
      refusal('refused: There is no case and no skill producer/nothing.'),
    );
  for (const verb of ['show', 'stop'])
    expect(await failed(verb, 'taaaaaaaaaaaa')).toEqual(refusal('There is no run taaaaaaaaaaaa'));
});

describe('with --own, and the token of the connection', () => {
  const variables = ['SOMBUS_BASE_URL', 'SOMBUS_CLIENT_ID', 'SOMBUS_CLIENT_SECRET'] as const;

  const actAs = ({ id, secret }: TestConnection) => {
    process.env['SOMBUS_BASE_URL'] = bus.service.baseUrl;
    process.env['SOMBUS_CLIENT_ID'] = id;
    process.env['SOMBUS_CLIENT_SECRET'] = secret;
  };

  afterEach(() => {
    for (const name of variables) delete process.env[name];
  });

  test('an executor is checked, listed and shown without the operator', async () => {
    const [consumer, producer] = await pair();
    actAs(consumer);
    const args = ['--own', '--producer', producer.id, ...one];
    const { lines, code } = await executed([consumer, producer], undefined, ...args);
    expect(code).toBe(0);
    const run = lines[0]?.split(' ')[1] ?? '';
    expect(lines[0]).toBe(`run ${run} (to stop it: sombus check stop ${run} --own)`);
    const shown = started('show', run, '--own');
    await shown.ended;
    expect(shown.lines).toEqual(lines.slice(2));
    const listed = started('list', '--own', '--json');
    await listed.ended;
    expect(JSON.parse(listed.lines.join(''))).toMatchObject([{ run_id: run, status: 'finished' }]);
  });

  test.each(['--own', '--consumer'])(
    'cases of a file are played digit by digit, with %s',
    async by => {
      const consumer = await bus.connect('consumer', { receives: ['story.context'] });
      actAs(consumer);
      const { path: folder, remove } = temporaryFolder();
      const file = join(folder, 'house.yaml');
      const steps =
        '[{ plays: { payload: { extensions: { com.example.n: 98765432109876543210.50 } } } }]';
      const title = 'It takes any number.';
      writeFileSync(
        file,
        `cases:\n  house/number: { title: ${title}, type: story.context, steps: ${steps} }\n`,
      );
      const who = by === '--own' ? [by] : [by, consumer.id];
      const { ended } = started('consumer', ...who, '--cases', file, '--case', 'house');
      let isOver = false;
      const over = ended.finally(() => {
        isOver = true;
      });
      const texts: string[] = [];
      while (!isOver) {
        await bus.service.runJobs();
        const pulled = await consumer.pull({ wait: 0 });
        for (const { text, receiptHandle } of pulled.outcome === 'pulled' ? pulled.messages : []) {
          texts.push(text);
          await consumer.ack([receiptHandle]);
        }
        bus.clock.turn(2000);
      }
      // A house's own cases alone prove nothing.
      expect(await over).toBe(1);
      remove();
      expect(texts).toEqual([expect.stringContaining('"com.example.n":98765432109876543210.50')]);
    },
  );

  test('all runs are listed, however many pages they have', async () => {
    const consumer = await bus.connect('consumer');
    actAs(consumer);
    const { id, ...facts } = accepted(await bus.start({ kind: 'consumer', consumer: consumer.id }));
    await bus.ports.checkRuns.stop(id, 'Over.');
    const ids = Array.from({ length: 60 }, (_, at) => `tmany${`${at}`.padStart(8, '0')}`);
    for (const [at, other] of ids.entries())
      await bus.ports.checkRuns.add(
        { ...facts, id: other, createdAt: facts.createdAt - 1 - at },
        [],
      );
    for (const whose of [consumer.id, '--own']) {
      const { lines, ended } = started('list', whose, '--json');
      expect(await ended).toBe(0);
      const listed: { run_id: string }[] = JSON.parse(lines.join(''));
      expect(listed.map(({ run_id }) => run_id)).toEqual([id, ...ids]);
    }
    for (const other of ids) await bus.ports.checkRuns.stop(other, 'Over.');
    await bus.service.runJobs();
  });

  test("another connection's run is refused, and so is what the bus declines", async () => {
    const [consumer, producer] = await pair();
    const { id } = accepted(await bus.start({ kind: 'producer', producer: producer.id }));
    actAs(consumer);
    for (const name of ['show', 'stop'])
      expect(await failed(name, id, '--own')).toEqual([
        1,
        'refused: check.unknown: No test run of this connection has this id, or no report this name.',
      ]);
    expect(await failed('executor', '--own', '--producer', consumer.id)).toEqual([
      1,
      `refused: check.declined: ${consumer.id} is a consumer: this run needs a producer there.`,
    ]);
    actAs(producer);
    expect(await started('stop', id, '--own').ended).toBe(0);
  });

  test.each([
    [['consumer', '--own', '--consumer', 'c'], 'leave out --consumer'],
    [['consumer'], 'give --consumer <id>, or --own'],
    [['list'], 'give the id of a workspace or connection, or --own'],
    [['list', 'w', '--own'], 'give the id of a workspace or connection, or --own'],
  ])('%j is not understood', async (args, words) => {
    expect(await failed(...args)).toEqual([2, expect.stringContaining(words)]);
  });
});

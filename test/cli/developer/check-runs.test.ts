import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Change } from '../../../lib/access/people/noting.ts';
import { sombusOn } from '../../support/commands.ts';
import { linkCommitted } from '../../support/messages.ts';
import { registryHere } from '../../support/registry-here.ts';

const here = registryHere();

/** Runs a command that looks at its run once: who waits for more gives up. */
const checks = async (...args: readonly string[]) => {
  const noted: Change[] = [];
  const ports = here.ports();
  const slept: number[] = [];
  const clock = {
    ...here.clock,
    sleep: async (milliseconds: number) => {
      slept.push(milliseconds);
      throw new Error('That is long enough.');
    },
  };
  // Whoever does not wait for it records too late.
  const note = async (change: Change) => {
    await setImmediate();
    noted.push(change);
  };
  const changes = { ...ports.changes, note };
  const registry = () => ({ ...ports, clock, changes });
  const { code, stdout, stderr } = await sombusOn({ registry }, ...args, '--data', 'x');
  const shown = (text: string) =>
    text.replaceAll(/\bt[a-z2-7]{12}\b/g, 'RUN').replaceAll(consumer, 'CONSUMER');
  const said = shown(stdout).split('\n').slice(0, -1);
  const recorded = noted.map(({ what, facts }) => [what, shown(JSON.stringify(facts))]);
  return { code, said, stderr: shown(stderr), recorded, slept };
};

let consumer = '';
let workspace = '';
beforeAll(async () => {
  const made = async (...args: readonly string[]) => {
    const registry = () => here.ports();
    return JSON.parse((await sombusOn({ registry }, ...args, '--data', 'x', '--json')).stdout);
  };
  const { organisation_id: org } = await made('org', 'create', '--name', 'North TV');
  const { workspace_id: w } = await made('workspace', 'create', '--name', 'Desk', '--org', org);
  const of = ['--kind', 'consumer', '--workspace', w, '--app', 'cms'];
  consumer = (await made('connection', 'create', ...of)).connection_id;
  workspace = w;
});

test('a run with the operator’s rights is started, watched, listed, shown and stopped', async () => {
  const of = { code: 0, stderr: '', recorded: [] as unknown[], slept: [] as number[] };
  const facts = JSON.stringify({ workspace, connection: 'CONSUMER', run: 'RUN' });
  const cases = ['--case', 'delivery/crash'];
  expect(await checks('check', 'consumer', '--consumer', consumer, ...cases)).toEqual({
    code: 2,
    said: ['run RUN (to stop it: sombus check stop RUN)'],
    stderr: 'failed: That is long enough.\n',
    recorded: [['check.start', facts]],
    slept: [1000],
  });
  const [run] = (await here.ports().checkRuns.listOf([consumer], { max: 9 })).entries;
  const id = run?.id ?? '';
  for (const owner of [consumer, workspace])
    expect(await checks('check', 'list', owner)).toEqual({
      ...of,
      said: [
        'run_id         kind      status   connections    started_at                ended_at',
        'RUN  consumer  running  CONSUMER  2026-05-04T09:00:00.000Z  -',
      ],
    });
  expect(await checks('check', 'show', id)).toEqual({
    ...of,
    code: 1,
    said: ['undecided  delivery/crash'],
    stderr: 'The run goes on. 1 undecided.\n',
  });
  expect(await checks('check', 'stop', id)).toEqual({
    ...of,
    said: [
      'The run RUN ends within a minute, and removes its instances. What it has sent already stays in the queue.',
    ],
    recorded: [['check.stop', facts]],
  });
  expect(await checks('check', 'stop', 'tnone')).toEqual({
    ...of,
    code: 1,
    said: [],
    stderr: 'refused: There is no run tnone, or it is over.\n',
  });
});

test.each([
  [['consumer'], 'give --consumer <id>, or --own'],
  [['producer'], 'give --producer <id>, or --own'],
  [
    ['consumer', '--own', '--consumer', 'c'],
    '--own checks the connection of the token: leave out --consumer',
  ],
  [['list'], 'give the id of a workspace or connection, or --own'],
  [['list', 'w', '--own'], 'give the id of a workspace or connection, or --own'],
  [
    ['consumer', '--own', '--system-version', 'x'.repeat(101)],
    `option '--system-version <text>' argument '${'x'.repeat(101)}' is invalid. It has at most 100 characters.`,
  ],
  [
    ['show', 'x', '--report', 'x.pdf'],
    "option '--report <file>' argument 'x.pdf' is invalid. Its name has to end in .html, .xml, .json, .md, .svg.",
  ],
])('sombus check %j is no command line', async (args, problem) => {
  expect(await checks('check', ...args)).toMatchObject({
    code: 2,
    said: [],
    stderr: `error: ${problem}\n`,
  });
});

test('recorded messages are judged without a run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sombus-history-'));
  const file = join(folder, 'history.jsonl');
  const message = linkCommitted();
  const lines = [
    { envelope: message, producer_id: 'c1' },
    { envelope: message, producer_id: 'c2' },
  ];
  writeFileSync(file, `${lines.map(line => JSON.stringify(line)).join('\n\n')}\n \n`);
  const history = ['check', 'producer', '--producer', 'c1', '--history', file];
  const run = await checks(...history, '--type', 'link.committed');
  const whole = await checks(...history, '--json');
  rmSync(folder, { recursive: true });
  expect(run).toEqual({
    code: 1,
    said: [
      'passed   messages/link.committed',
      'passed   messages/own-system',
      'not run  messages/new-ids  It published fewer than two messages: keep using the product.',
      'not run  links/gate-per-destination  It sent fewer than two messages about links: commit one to another destination.',
      'not run  links/one-correlation  No link had a second message: change its gate, or withdraw it.',
      'not run  refusals/no-blind-repeat  None of its messages was refused: let it send one that is not valid, such as one with an empty topic.',
      'not applicable  links/withdrawn-after-commit  It sent no link.withdrawn.',
      'coverage 54.8 %',
      '1 of 2 lines were messages of c1.',
    ],
    stderr:
      'The run did not pass. It had to prove what was not run: messages/new-ids, links/gate-per-destination. 2 passed, 4 not run, 1 not applicable.\n',
    recorded: [],
    slept: [],
  });
  expect(whole.said).toHaveLength(1);
  expect(JSON.parse(whole.said[0] ?? '')).toMatchObject({
    run_id: 'history',
    notes: ['1 of 2 lines were messages of c1.'],
  });
});

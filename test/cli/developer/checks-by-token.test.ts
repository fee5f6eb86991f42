import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  CaseReport,
  CaseVerdict,
  ReportResponse,
} from '../../../lib/contract/portal/checks.ts';
import { noTotals } from '../../support/no-totals.ts';
import { json } from '../../support/scripted-server.ts';
import { askedOfBus } from './told-bus.ts';

const folder = mkdtempSync(join(tmpdir(), 'sombus-checks-'));
afterAll(() => rmSync(folder, { recursive: true }));

const one = (
  case_id: string,
  verdict: CaseVerdict,
  more: Partial<CaseReport> = {},
): CaseReport => ({
  case_id,
  title: 'A title.',
  verdict,
  checks: [],
  message_ids: [],
  rules: [],
  ...more,
});

const report = (more: Partial<ReportResponse> = {}): ReportResponse => ({
  run_id: 'taaaaaaaaaaaa',
  kind: 'executor',
  status: 'finished',
  passed: true,
  unproven: [],
  suite: 'som-1.0.0+lib-0.2.2',
  versions: { bus: '1.0.0', som: '1.0.0', library: '0.2.2' },
  workspace_id: 'wtest',
  connections: [],
  started_at: '2026-05-04T09:00:00.000Z',
  ended_at: '2026-05-04T09:10:00.000Z',
  words: ['The chosen cases passed.'],
  totals: { ...noTotals, passed: 1 },
  notes: ['A note.'],
  cases: [one('a/b', 'passed')],
  ...more,
});

const started = json(202, { run_id: 'taaaaaaaaaaaa' });
const passed = [started, json(200, report())];
const of = '/v1/tenants/wtest/checks';
const bodyOf = (request = ''): unknown => JSON.parse(request.slice(`POST ${of} `.length));

test('check executor asks for a run with all that it is told, and prints what came of it', async () => {
  const options = ['--producer', 'cproducer', '--case', 'a', '--case', 'b', '--limit', '40'];
  const more = ['--binds', 'first-seen', '--role', 'skill', '--system-version', '1.2'];
  const how = ['--restart', 'by-hand'];
  const run = await askedOfBus(passed, 'check', 'executor', '--own', ...options, ...more, ...how);
  expect(bodyOf(run.asked[0])).toEqual({
    kind: 'executor',
    role: 'skill',
    producer: 'cproducer',
    cases: ['a', 'b'],
    limit_seconds: 40,
    instances: 'registered',
    binds_first_seen: true,
    system_version: '1.2',
    restarts: true,
  });
  expect({ ...run, asked: run.asked.slice(1) }).toEqual({
    asked: [`GET ${of}/taaaaaaaaaaaa`],
    code: 0,
    said: [
      'run taaaaaaaaaaaa (to stop it: sombus check stop taaaaaaaaaaaa --own)',
      'It begins when the executor has read the instances that the run registers.',
      'passed   a/b',
      'A note.',
      'The chosen cases passed.',
      'The run passed. 1 passed.',
    ],
    errors: [],
  });
});

test('check executor says nothing of restarts, cases and instances that it was not told', async () => {
  const of = ['check', 'executor', '--own', '--producer', 'cproducer'];
  const plain = await askedOfBus(passed, ...of);
  const body = {
    kind: 'executor',
    producer: 'cproducer',
    limit_seconds: 30,
    instances: 'registered',
    binds_first_seen: false,
  };
  expect(bodyOf(plain.asked[0])).toEqual(body);
  const given = await askedOfBus(passed, ...of, '--given');
  expect(bodyOf(given.asked[0])).toEqual({ ...body, instances: 'given' });
  expect(given.said.slice(0, 2)).toEqual([plain.said[0], 'passed   a/b']);
});

test('check producer asks for a run with all that it is told', async () => {
  const options = ['--type', 'story.context', '--type', 'link.committed', '--case', 'a'];
  const more = ['--role', 'ncs', '--system-version', '1.2'];
  const run = await askedOfBus(passed, 'check', 'producer', '--own', ...options, ...more);
  expect(bodyOf(run.asked[0])).toEqual({
    kind: 'producer',
    role: 'ncs',
    cases: ['a'],
    message_types: ['story.context', 'link.committed'],
    system_version: '1.2',
  });
  expect([run.code, run.said[1]]).toEqual([
    0,
    'Use the product now, and keep using it until the run is over.',
  ]);
  const quiet = await askedOfBus(passed, 'check', 'producer', '--own', '--json');
  expect(bodyOf(quiet.asked[0])).toEqual({ kind: 'producer' });
  expect(quiet.said).toEqual([JSON.stringify(report())]);
});

test('check consumer asks for a run with all that it is told', async () => {
  const file = join(folder, 'cases.yaml');
  const steps = '[{ plays: { payload: { extensions: { com.example.n: 1.50 } } } }]';
  writeFileSync(
    file,
    `cases:\n  house/a: { title: It takes it., type: story.context, steps: ${steps} }\n`,
  );
  const options = ['--producer', 'cproducer', '--reaction', 'link.committed', '--within', '9'];
  const more = ['--cases', file, '--case', 'a', '--limit', '40', '--role', 'cms'];
  const run = await askedOfBus(passed, 'check', 'consumer', '--own', ...options, ...more);
  expect(run.errors).toEqual([]);
  expect(bodyOf(run.asked[0])).toMatchObject({
    kind: 'consumer',
    role: 'cms',
    producer: 'cproducer',
    cases: ['a'],
    limit_seconds: 40,
    reaction: 'link.committed',
    within_seconds: 9,
  });
  expect(run.asked[0]).toContain('"com.example.n":1.50');
  expect(run.said[1]).toBe('passed   a/b');
  const plain = await askedOfBus(passed, 'check', 'consumer', '--own');
  expect(bodyOf(plain.asked[0])).toEqual({ kind: 'consumer', limit_seconds: 30 });
  for (const alone of [
    ['--reaction', 'link.committed'],
    ['--within', '9'],
  ])
    expect(await askedOfBus([], 'check', 'consumer', '--own', ...alone)).toEqual({
      asked: [],
      code: 2,
      said: [],
      errors: ['error: give --producer: a reaction is what it publishes'],
    });
});

test('a file of cases that cannot be read is refused, and nothing is asked of the bus', async () => {
  const file = join(folder, 'wrong.yaml');
  writeFileSync(file, 'cases: [');
  const run = await askedOfBus([], 'check', 'consumer', '--own', '--cases', file);
  expect([run.asked, run.code, run.errors]).toEqual([
    [],
    1,
    [expect.stringMatching(/^refused: \S+wrong\.yaml cannot be read: /)],
  ]);
});

test('check show tells a run that is over, writes its reports, and fails if it did not pass', async () => {
  const file = join(folder, 'report.json');
  const of = ['check', 'show', 'ta/b', '--own', '--report', file];
  const cases = [one('a/b', 'passed'), one('a/f', 'pending spec')];
  const run = await askedOfBus([json(200, report({ cases }))], ...of);
  expect(run).toEqual({
    asked: ['GET /v1/tenants/wtest/checks/ta%2Fb'],
    code: 0,
    said: ['passed   a/b', 'A note.', 'The chosen cases passed.', 'The run passed. 1 passed.'],
    errors: [],
  });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ run_id: 'taaaaaaaaaaaa' });
  const failing = report({ passed: false, totals: { ...noTotals, failed: 1 } });
  const failed = await askedOfBus([json(200, failing)], ...of, '--json');
  expect([failed.code, failed.said, failed.errors]).toEqual([
    1,
    [JSON.stringify(failing)],
    ['The run did not pass. 1 failed.'],
  ]);
});

const otherRelease =
  'failed: The bus answered in a form that this command does not know: use the release of the bus.';

test.each([
  ['status', 1],
  ['passed', 'yes'],
  ['totals', []],
  ['words', 'x'],
  ['notes', 'x'],
  ['unproven', 'x'],
  ['cases', 'x'],
  ['cases', [{ case_id: 1, checks: [] }]],
  ['cases', [{ case_id: 'a', checks: 'x' }]],
  ['cases', ['a']],
])('a report whose %s is %j is of another release', async (name, value) => {
  const other = { ...report(), [name]: value };
  const run = await askedOfBus([json(200, other)], 'check', 'show', 'taaaaaaaaaaaa', '--own');
  expect(run).toMatchObject({ code: 2, said: [], errors: [otherRelease] });
});

const row = {
  run_id: 'taaaaaaaaaaaa',
  kind: 'executor',
  status: 'running',
  connections: [{ connection_id: 'c1' }, { connection_id: 'c2' }],
  started_at: '2026-05-04T09:00:00.000Z',
  more: 'than is shown',
};

test('check list reads page after page', async () => {
  const ended = { ...row, run_id: 'tbbbbbbbbbbbb', ended_at: '2026-05-04T09:10:00.000Z' };
  const pages = [json(200, { runs: [row], next: 'a/b' }), json(200, { runs: [ended] })];
  expect(await askedOfBus(pages, 'check', 'list', '--own')).toEqual({
    asked: [`GET ${of}`, `GET ${of}?after=a%2Fb`],
    code: 0,
    said: [
      'run_id         kind      status   connections  started_at                ended_at',
      'taaaaaaaaaaaa  executor  running  c1 c2        2026-05-04T09:00:00.000Z  -',
      'tbbbbbbbbbbbb  executor  running  c1 c2        2026-05-04T09:00:00.000Z  2026-05-04T09:10:00.000Z',
    ],
    errors: [],
  });
});

test.each([
  [{ runs: 'x' }],
  [{ runs: ['x'] }],
  [{ runs: [{ ...row, run_id: 1 }] }],
  [{ runs: [{ ...row, connections: 'x' }] }],
  [{ runs: [row], next: 1 }],
])('a list like %j is of another release', async body => {
  const run = await askedOfBus([json(200, body)], 'check', 'list', '--own');
  expect(run).toMatchObject({ code: 2, said: [], errors: [otherRelease] });
});

test('check stop says what becomes of the run', async () => {
  expect(await askedOfBus([json(200, {})], 'check', 'stop', 'ta/b', '--own')).toEqual({
    asked: ['POST /v1/tenants/wtest/checks/ta%2Fb/stop {}'],
    code: 0,
    said: [
      'The run ta/b ends within a minute, and removes its instances. What it has sent already stays in the queue.',
    ],
    errors: [],
  });
});

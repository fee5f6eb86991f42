import { limits } from '../../lib/contract/limits.ts';
import { caseVerdicts, checkKinds, checkRoles, suiteId } from '../../lib/contract/portal/checks.ts';
import { generable, isObject, ref, type Schema } from './components.ts';
import { body, json, type Operation, pageAfter, valued } from './operation.ts';
import { closed, id, instant, list, text } from './response-schemas.ts';
import { refusals, success } from './responses.ts';

const { min, max, default: usual } = limits.checks.limitSeconds;

const kind: Schema = { enum: checkKinds };
const status: Schema = {
  enum: ['running', 'finished', 'aborted'],
  description: '`aborted`: somebody stopped it, or it could not continue; `reason` says why.',
};
const verdict: Schema = {
  enum: caseVerdicts,
  description:
    '`undecided`: the run goes on. `not run`: `reason` says what was missing. ' +
    '`not applicable`: it is about what the connection does not receive or send. ' +
    '`pending spec`: it waits for SOM or the library.',
};
const count: Schema = { type: 'integer', minimum: 0 };
const runId = id('t', 'The run.');

const role: Schema = {
  enum: checkRoles,
  description:
    'What the system is: a role of SOM 1.0 or a system of a newsroom. It says what the run has to prove.',
};

const request = closed({
  kind,
  'role?': role,
  'producer?': text(
    'The producer of an executor, if its consumer starts the run. Of the same organisation.',
  ),
  'consumer?': text(
    'The consumer of an executor, if its producer starts the run. Of the same organisation.',
  ),
  'cases?': list(text('The id of a case, or the name of a skill or group.')),
  'message_types?': list(
    text('Of a producer: a message type that it should send. Default: what it sends.'),
  ),
  'limit_seconds?': { type: 'number', minimum: min, maximum: max, default: usual },
  'instances?': {
    enum: ['registered', 'given'],
    description:
      'Of an executor. `registered` (default): the run registers the instances that it needs.',
  },
  'restarts?': {
    type: 'boolean',
    description: 'Of an executor: somebody restarts it when the report asks for it (`ask`).',
  },
  'reaction?': text(
    'Of a consumer that names its `producer`: the message type of the reaction that is ' +
      'expected. Default: what answers two messages.',
  ),
  'within_seconds?': {
    type: 'number',
    minimum: 1,
    maximum: 3600,
    description: 'How long a reaction may take. Default: `limit_seconds`.',
  },
  'own_cases?': {
    type: 'object',
    description:
      'Of a consumer: a house’s own cases, by ids such as `house/my-case`, in the form of ' +
      '`checks/own-cases.schema.json`.',
  },
  'system_version?': text('The version of the system that is checked, for the report.'),
  'binds_first_seen?': {
    type: 'boolean',
    description: 'Of an executor: an asset holds the value that its story had when it appeared.',
  },
});

const connection = closed({
  connection_id: id('c', 'The connection.'),
  kind: { enum: ['producer', 'consumer'] },
  app_id: text(),
  'app_name?': text('As its organisation calls the app.'),
  system_ids: list(text()),
});

const runFacts = {
  run_id: runId,
  kind,
  status,
  'reason?': text('Why it was aborted.'),
  connections: list(ref('CheckedConnection')),
  started_at: instant('When it was started.'),
  'ended_at?': instant('When it ended.'),
};

const oneCase = closed({
  case_id: text(),
  title: text(),
  'basis?': {
    enum: ['L', 'S', 'P'],
    description: 'The library, SOM 1.0, or a position of the bus.',
  },
  'instance?': text('The label of the skill instance that the case is about.'),
  verdict,
  'reason?': text(),
  'ask?': text('What whoever runs the system has to do now.'),
  'advice?': text('What to do, if it failed or was not run.'),
  checks: list(ref('Check')),
  message_ids: list(text()),
  rules: list(text('A rule by which a message of the case was refused.')),
  'started_at?': instant('When its first message was played.'),
  'ended_at?': instant('When it was decided.'),
});

const coverageRow = closed({
  message_type: text(),
  member: text('Such as `assets[].usage[].state`.'),
  required: { type: 'boolean' },
  seen: { type: 'boolean' },
  'values_seen?': list(text()),
  'values_missing?': list(text()),
});

const totals = closed(Object.fromEntries(caseVerdicts.map(verdict => [verdict, count])));

const report = closed({
  ...runFacts,
  passed: {
    type: 'boolean',
    description: 'It is finished, at least one case passed, none failed, and `unproven` is empty.',
  },
  'role?': role,
  'role_name?': text('The same in words.'),
  unproven: list(
    text('A case that had to be proved and was not run, or several of which one would have done.'),
  ),
  suite: text(),
  versions: closed({ bus: text(), som: text(), library: text() }),
  workspace_id: text(),
  'workspace_name?': text(),
  'system_version?': text('As whoever started the run has told.'),
  'evidence?': text(
    'The path below which the bus tells the digests of the report. Of a finished run.',
  ),
  words: list(text('What may be said.')),
  totals,
  notes: list(text()),
  cases: list(ref('CheckCase')),
  'coverage?': ref('CheckCoverage'),
});

const evidence = closed({
  kind,
  suite: text(),
  bus_version: text(),
  passed: { type: 'boolean' },
  totals,
  started_at: instant('When the run was started.'),
  'ended_at?': instant('When it ended.'),
  sha256: {
    type: 'object',
    description: 'Of the report as html, xml, json, md and svg, hexadecimal.',
    additionalProperties: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
});

/** What runs of checks are asked and answered, by component. */
export const checkSchemas: Readonly<Record<string, Schema>> = {
  CheckRequest: generable(request),
  CheckRun: generable(closed(runFacts)),
  CheckRuns: generable(
    closed({
      runs: list(ref('CheckRun')),
      'next?': text('There are more: it goes back as `after`.'),
    }),
  ),
  CheckedConnection: generable(connection),
  Check: generable(
    closed({ name: text(), passed: { type: 'boolean' }, expected: text(), found: text() }),
  ),
  CheckCase: generable(oneCase),
  CheckCoverage: generable(
    closed({
      percent: { type: 'number', minimum: 0, maximum: 100, description: 'Of the members.' },
      rows: list(ref('CheckCoverageRow')),
    }),
  ),
  CheckCoverageRow: generable(coverageRow),
  CheckReport: generable(report),
  CheckEvidence: generable(evidence),
};

const runExample = {
  run_id: 'taaaaaaaaaaaa',
  kind: 'consumer',
  status: 'running',
  connections: [
    { connection_id: 'caaaaaaaaaaaa', kind: 'consumer', app_id: 'paaaaaaaaaaaa', system_ids: [] },
  ],
  started_at: '2026-05-04T09:00:00.000Z',
};

const reportExample = {
  ...runExample,
  status: 'finished',
  ended_at: '2026-05-04T09:01:10.000Z',
  passed: true,
  unproven: [],
  suite: suiteId,
  versions: { bus: '1.0.0', som: '1.0.0', library: '0.2.2' },
  workspace_id: 'waaaaaaaaaaaa',
  words: [`consumer caaaaaaaaaaaa passes the som-bus checks for ${suiteId} (1 passed)`],
  totals: {
    passed: 1,
    failed: 0,
    undecided: 0,
    'not run': 0,
    'not applicable': 0,
    'pending spec': 0,
  },
  notes: [],
  cases: [
    {
      case_id: 'messages/story.context',
      title: 'A snapshot is acknowledged.',
      verdict: 'passed',
      checks: [
        { name: 'acknowledged', passed: true, expected: 'within 30 s', found: 'after 0.2 s' },
      ],
      message_ids: ['5d0c1f6e-4f0e-4d8a-9d0a-000000000001'],
      rules: [],
    },
  ],
};

const uncached = ['cache-control'];

const asJson = success('check-report', 'The report.', {
  schema: ref('CheckReport'),
  headers: [...uncached, 'content-security-policy?', 'x-content-type-options?'],
  examples: { finished: reportExample },
});

const forms = ['text/html', 'application/xml', 'text/markdown', 'image/svg+xml'].map(
  type => [type, { schema: { type: 'string' } }] as const,
);

const inAllForms: Schema = {
  ...asJson,
  content: {
    ...(isObject(asJson['content']) && asJson['content']),
    ...Object.fromEntries(forms),
  },
};

/** An own route: neither SOM nor the service's specification knows it. */
const own = 'An own route of this service.';

export const checkOperations: Readonly<
  Record<'check-start' | 'check-list' | 'check-report' | 'check-stop' | 'check-evidence', Operation>
> = {
  'check-start': {
    description:
      'Starts a test run of the connection itself, or of the executor that it belongs to. Cases ' +
      `are described in docs/checks.md. ${own}`,
    requestBody: body({
      [json]: {
        schema: ref('CheckRequest'),
        examples: valued({
          producer: { kind: 'producer', cases: ['messages/story.context'] },
        }),
      },
    }),
    responses: {
      201: success('check-start', 'It was started.', {
        schema: ref('CheckRun'),
        headers: uncached,
        examples: { one: runExample },
      }),
      ...refusals('check-start'),
    },
  },
  'check-list': {
    description: `The test runs of the connection, kept for 90 days, the newest first, 50 a page. ${own}`,
    parameters: [pageAfter],
    responses: {
      200: success('check-list', 'The runs.', {
        schema: ref('CheckRuns'),
        headers: uncached,
        examples: { one: { runs: [runExample] }, none: { runs: [] } },
      }),
      ...refusals('check-list'),
    },
  },
  'check-report': {
    description:
      'The report of a test run, judged anew from its record; while it goes on, as far as it ' +
      'is. With `Accept: text/html`, `application/xml` (JUnit), `text/markdown` or ' +
      '`image/svg+xml` (a badge), in that form. A very long one leaves out the checks that ' +
      `passed. ${own}`,
    responses: {
      200: inAllForms,
      ...refusals('check-report'),
    },
  },
  'check-evidence': {
    description:
      'What the bus has written down of the report of a finished run, for 90 days and without ' +
      'credentials: nobody can guess the name, which stands in the report. It tells neither ' +
      `connections nor cases. ${own}`,
    responses: {
      200: success('check-evidence', 'What is known of the report.', {
        schema: ref('CheckEvidence'),
        headers: uncached,
        examples: {
          one: {
            kind: 'consumer',
            suite: suiteId,
            bus_version: '1.0.0',
            passed: true,
            totals: reportExample.totals,
            started_at: runExample.started_at,
            ended_at: reportExample.ended_at,
            sha256: { html: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c' },
          },
        },
      }),
      ...refusals('check-evidence'),
    },
  },
  'check-stop': {
    description:
      'Asks a test run to end: within a minute it removes its instances, and is over. Of one ' +
      `that is over, nothing changes. ${own}`,
    responses: {
      200: success('check-stop', 'The run as it was when it was asked.', {
        schema: ref('CheckRun'),
        headers: uncached,
        examples: { one: runExample },
      }),
      ...refusals('check-stop'),
    },
  },
};

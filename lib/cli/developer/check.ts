import { version } from '../../../package.json';
import type { OwnCases } from '../../checks/consumer-plan.ts';
import { historyReport } from '../../checks/history.ts';
import { readOwnCases } from '../../checks/own-cases.ts';
import type { StartRequest } from '../../checks/start.ts';
import { limits } from '../../contract/limits.ts';
import { families, messageTypes } from '../../contract/message-types.ts';
import { defined } from '../../contract/outside.ts';
import type { RunResponse } from '../../contract/portal/work-responses.ts';
import { readYaml } from '../../platform/json/yaml.ts';
import { busUrl } from '../frame/account.ts';
import { type CommandGroup, type CommandRun, command } from '../frame/command.ts';
import { accepted, CommandRefused } from '../frame/failures.ts';
import {
  flag,
  matching,
  option,
  repeatable,
  required,
  wholeNumber,
  withDefault,
} from '../frame/options.ts';
import { inputBytes, type Terminal } from '../frame/terminal.ts';
import {
  type AskedFor,
  askedOf,
  caseLines,
  finish,
  pipelineOption,
  type ReportOptions,
  type RoleOptions,
  reachedRuns,
  reachOptions,
  reportOption,
  roleOption,
  watch,
} from './check-runs.ts';
import { verifiedReport } from './check-verify.ts';
import { instancesInFile } from './executor.ts';

const hints: Readonly<Partial<Record<StartRequest['kind'], string>>> = {
  executor: 'It begins when the executor has read the instances that the run registers.',
  producer: 'Use the product now, and keep using it until the run is over.',
};

const runChecks = async (
  call: CommandRun<ReportOptions>,
  request: StartRequest,
  asked?: AskedFor,
): Promise<void> => {
  const { terminal, options } = call;
  const runs = await reachedRuns(call, request.kind === 'producer' ? 'producer' : 'consumer');
  const id = await runs.start(request);
  const silent: Terminal = { ...terminal, out: () => undefined };
  const { out } = options.json ? silent : terminal;
  out(`run ${id} (to stop it: sombus check stop ${id}${options.own ? ' --own' : ''})`);
  const isQuiet = options.ci || request.instances === 'given';
  const hint = isQuiet ? undefined : hints[request.kind];
  if (hint !== undefined) out(hint);
  finish(call, await watch({ ...terminal, out }, runs, { id, asked }));
};

/**
 * The connection that is checked, if an option names it; with --own, the bus knows it by the token.
 */
const tested = (
  {
    options,
    misused,
  }: CommandRun<ReportOptions & RoleOptions & Pick<StartRequest, 'producer' | 'consumer'>>,
  name: 'producer' | 'consumer',
) => {
  const { own, role, [name]: id } = options;
  if (own && id !== undefined)
    misused(`--own checks the connection of the token: leave out --${name}`);
  if (!own && id === undefined) misused(`give --${name} <id>, or --own`);
  return defined({ role, [name]: id });
};

const versionOption = option(
  '--system-version <text>',
  'the version of the system that is checked, for the report',
  matching(text => text.length <= 100, 'It has at most 100 characters.'),
);

const reportOptions = {
  report: reportOption,
  ci: pipelineOption,
  role: roleOption,
  systemVersion: versionOption,
};

/** What the report says of the system. */
const named = ({ systemVersion }: Pick<StartRequest, 'systemVersion'>) =>
  defined({ systemVersion });

const group = 'only this case, or this group (repeatable)';

const { min, max, default: usual } = limits.checks.limitSeconds;
const limitOption = (what: string) =>
  withDefault(
    option('--limit <seconds>', `how long ${what} may take`, wholeNumber(min, max)),
    usual,
  );

/** The cases that ask for a restart. */
const restarted = ['restarted', 'stopped-before-it-acts', 'stopped-before-it-knows'].map(
  name => `raise-flag-on-match/${name}`,
);
const crashed = ['delivery/crash'];
const byHand = 'by-hand';

const executor = command({
  usage: 'executor',
  description: 'check a skill executor: play stories to it, and judge its warnings',
  options: {
    ...reachOptions,
    ...reportOptions,
    consumer: option('--consumer <id>', 'the consumer connection of the executor'),
    producer: required('--producer <id>', 'its producer connection'),
    case: repeatable('--case <name>', 'only this case, or this skill (repeatable)'),
    limit: limitOption('a response'),
    restart: option(
      '--restart <command>',
      `restarts the executor when the run asks for it, or ${byHand}`,
    ),
    given: flag('--given', 'register nothing: use the instances that the executor has already'),
    skills: option(
      '--skills <file>',
      'instances that the executor has from this file (implies --given)',
    ).conflicts('own'),
    binds: option('--binds <how>', 'an asset holds the value that its story had when it appeared', [
      'first-seen',
    ]),
  },
  help: `
It prints one line for each case as it is decided, and exits with 1 unless at least
one case passed, none failed, and all was run that had to be proved. docs/checks.md
says what each verdict means.`,
  async run(call) {
    const { producer, case: cases, limit, given, skills, binds, restart } = call.options;
    const asked = askedOf(restarted, restart === byHand ? undefined : restart);
    const request: StartRequest = {
      kind: 'executor',
      ...tested(call, 'consumer'),
      ...named(call.options),
      producer,
      cases,
      limitSeconds: limit,
      instances: given || skills !== undefined ? 'given' : 'registered',
      bindsFirstSeen: binds !== undefined,
      ...(skills !== undefined && { handedIn: instancesInFile(skills) }),
      ...(restart !== undefined && { restarts: true }),
    };
    await runChecks(call, request, asked);
  },
});

/** @throws CommandRefused with what is wrong with the file */
const ownCasesInFile = (file: string): OwnCases => {
  const text = Buffer.from(inputBytes(file)).toString('utf8');
  const read = readYaml(text, { isAsWritten: true });
  if (read.kind === 'error') throw new CommandRefused(`${file} cannot be read: ${read.reason}`);
  return accepted(readOwnCases(read.value));
};

const messageType = matching(
  text => families.has(text),
  `The types are ${messageTypes.join(', ')}.`,
);

const judgeHistory = (
  call: CommandRun<ReportOptions & { readonly type: readonly string[] }>,
  producer: string,
  file: string,
): void => {
  const { type: messageTypes, json } = call.options;
  const lines = Buffer.from(inputBytes(file))
    .toString()
    .split('\n')
    .filter(line => line.trim() !== '');
  const report = historyReport({
    lines,
    producer,
    messageTypes,
    busVersion: version,
    now: Date.now(),
  });
  const shown = [...caseLines(report.cases)];
  if (report.coverage) shown.push(`coverage ${report.coverage.percent} %`);
  if (!json) for (const line of shown) call.terminal.out(line);
  finish(call, report);
};

const producer = command({
  usage: 'producer',
  description: 'check a producer: watch what it sends, and let things go wrong for it',
  options: {
    ...reachOptions,
    ...reportOptions,
    producer: option('--producer <id>', 'the producer connection'),
    type: repeatable(
      '--type <message type>',
      'it should send this (repeatable; default: what it sends)',
      messageType,
    ),
    case: repeatable('--case <name>', group),
    history: option(
      '--history <file>',
      'judge recorded messages instead: lines as sombus tail prints them',
    ).conflicts(['own', 'role']),
  },
  help: `
Use the product during the run: each case waits some minutes for a message.
First it only watches. Then it refuses publishes, loses responses and ends tokens, for
this connection only. docs/checks.md says what each verdict means.`,
  async run(call) {
    const { type, case: cases, history } = call.options;
    const { producer } = call.options;
    const own = { ...tested(call, 'producer'), ...named(call.options) };
    if (history !== undefined && producer !== undefined)
      return judgeHistory(call, producer, history);
    await runChecks(call, {
      kind: 'producer',
      ...own,
      messageTypes: type,
      cases,
    });
  },
});

const consumer = command({
  usage: 'consumer',
  description: 'check a consumer: play messages to it, and look how it acknowledges them',
  options: {
    ...reachOptions,
    ...reportOptions,
    consumer: option('--consumer <id>', 'the consumer connection'),
    producer: option('--producer <id>', 'what it reacts with: judge its reactions, too'),
    reaction: option(
      '--reaction <message type>',
      'the reaction that is expected (default: what answers two messages)',
      messageType,
    ),
    onCrash: option(
      '--on-crash <command>',
      'stops the consumer when the run asks for it, and starts it again',
    ),
    within: option('--within <seconds>', 'how long a reaction may take', wholeNumber(1, 3600)),
    case: repeatable('--case <name>', group),
    cases: option('--cases <file>', "a house's own cases (YAML or JSON), played besides"),
    limit: limitOption('an acknowledgement'),
  },
  help: `
The last case wants the consumer to be stopped in the middle of its work, and to be
started again. docs/checks.md says what each verdict means.`,
  async run(call) {
    const { case: cases, limit: limitSeconds, producer, reaction, within, onCrash } = call.options;
    const { cases: file } = call.options;
    if (producer === undefined && (reaction ?? within) !== undefined)
      call.misused('give --producer: a reaction is what it publishes');
    const request: StartRequest = {
      kind: 'consumer',
      ...tested(call, 'consumer'),
      ...named(call.options),
      ...defined({ producer, reaction, withinSeconds: within }),
      ...(file !== undefined && { ownCases: ownCasesInFile(file) }),
      cases,
      limitSeconds,
    };
    await runChecks(call, request, askedOf(crashed, onCrash));
  },
});

const summaryRow = ({
  run_id,
  kind,
  status,
  connections,
  started_at,
  ended_at,
}: RunResponse): object => ({
  run_id,
  kind,
  status,
  connections: connections.map(({ connection_id }) => connection_id),
  started_at,
  ended_at: ended_at ?? null,
});

export const checkCommand: CommandGroup = {
  name: 'check',
  description: 'checks: does a system speak SOM as it should?',
  commands: [
    producer,
    consumer,
    executor,
    command({
      usage: 'list [id]',
      arguments: { id: 'a workspace or a connection; none with --own' },
      description:
        'list the runs of a workspace or a connection in the last 90 days, the newest first',
      options: reachOptions,
      async run(call, id: string | undefined) {
        if (call.options.own === (id !== undefined))
          return call.misused('give the id of a workspace or connection, or --own');
        return (await (await reachedRuns(call)).list(id ?? '')).map(summaryRow);
      },
    }),
    command({
      usage: 'show <run>',
      description: 'show what a run found, judged again from its record',
      options: { ...reachOptions, report: reportOption, ci: pipelineOption },
      async run(call, id) {
        const report = await (await reachedRuns(call)).report(id);
        const shown = report.cases.filter(({ verdict }) => verdict !== 'pending spec');
        if (!call.options.json) for (const line of caseLines(shown)) call.terminal.out(line);
        finish(call, report);
      },
    }),
    command({
      usage: 'verify <file>',
      description: 'compare a report with what the bus has written down',
      options: {
        baseUrl: option(
          '--base-url <url>',
          'URL of the bus (default: SOMBUS_BASE_URL, or the local service)',
        ),
      },
      help: `
It needs no credentials. Give the URL of the bus that you trust: the file cannot name it.`,
      async run({ terminal, options }, file) {
        const url = busUrl(options, process.env);
        terminal.out(await verifiedReport(inputBytes(file), url));
      },
    }),
    command({
      usage: 'stop <run>',
      description: 'stop a run; its instances are removed, messages in the queue stay',
      options: reachOptions,
      async run(call, id) {
        await (await reachedRuns(call)).stop(id);
        call.terminal.out(
          `The run ${id} ends within a minute, and removes its instances. ` +
            'What it has sent already stays in the queue.',
        );
      },
    }),
  ],
};

import { connect, fromEnvironment, uuidv7 } from '../../kit/client/index.ts';
import { systemOutside } from '../../kit/client/outside.ts';
import { type ExecutorEvent, ExecutorRefused, runExecutor } from '../../kit/executor/index.ts';
import { openMemoryFile, UnusableMemory } from '../../kit/executor/memory.file.ts';
import type { Instance } from '../../kit/executor/skill.ts';
import { skillRulebook } from '../../skills/describe-library.ts';
import { checkRegistrationFile } from '../../skills/registrations.ts';
import { type CommandRun, command } from '../frame/command.ts';
import { CommandRefused, rethrow } from '../frame/failures.ts';
import { type OptionsOf, option, required, withDefault } from '../frame/options.ts';
import { demoVariables } from '../frame/shell.ts';
import { inputBytes, untilStopped } from '../frame/terminal.ts';

/** The instances of a skills file. @throws CommandRefused with every problem of the file */
export const instancesInFile = (file: string) => {
  const checked = checkRegistrationFile(inputBytes(file), skillRulebook);
  if (checked.kind === 'valid') return checked.instances;
  throw new CommandRefused(`${file} has errors (${checked.problems.length}).`, checked.problems);
};

const instancesOf = (file: string): readonly Instance[] =>
  instancesInFile(file).map(({ skill_id, skill_version, instance_label, values }) => ({
    skillId: skill_id,
    skillVersion: skill_version,
    label: instance_label,
    values,
  }));

const lineOf = (event: ExecutorEvent): string => {
  if (event.kind === 'problem') return event.words;
  if (event.kind === 'instances') {
    if (event.labels.length === 0) return 'no instances';
    return `instances: ${event.labels.join(', ')}`;
  }
  const { trigger, warning, outcome } = event;
  if (warning.message_type !== 'skill.warning.raised') return outcome;
  const { severity, rule_id, scope } = warning.payload;
  const why = `after ${trigger.message_type} ${trigger.message_id}`;
  return [severity.padEnd(6), rule_id, scope, outcome, warning.message_id, why].join('  ');
};

const options = {
  state: required('--state <file>', 'where it keeps what it has declared; made if it is not there'),
  consumer: withDefault(
    option('--consumer <name>', 'its consumer connection, as variables name it'),
    'SOMBUS_READER',
  ),
  producer: withDefault(
    option('--producer <name>', 'its producer connection, as variables name it'),
    'SOMBUS_PUBLISHER',
  ),
  system: option(
    '--system <id>',
    'the system that its warnings come from (default: SOMBUS_SYSTEM_ID)',
  ),
  instances: option('--instances <file>', 'a skills file (YAML or JSON), or - for standard input'),
};

type ExecutorOptions = OptionsOf<typeof options>;

const connectionsOf = ({
  data,
  consumer,
  producer,
  system,
}: CommandRun<ExecutorOptions>['options']) => {
  const { env } = process;
  const variables = env['SOMBUS_BASE_URL'] ? env : { ...demoVariables(data), ...env };
  const system_id = system ?? variables['SOMBUS_SYSTEM_ID'];
  if (!system_id)
    throw new CommandRefused(
      'Name the system that the producer sends as, with --system or SOMBUS_SYSTEM_ID.',
    );
  const from = fromEnvironment(variables, consumer);
  return {
    id: from.clientId,
    consumer: connect(from),
    producer: connect({
      ...fromEnvironment(variables, producer),
      system: { system_id, system_type: 'skill_worker' },
    }),
  };
};

const execute = async ({ terminal, options }: CommandRun<ExecutorOptions>): Promise<void> => {
  const { id, consumer, producer } = connectionsOf(options);
  const { now, randomBytes, sleep } = systemOutside;
  const stop = untilStopped();
  try {
    await runExecutor({
      consumer,
      producer,
      ...(options.instances !== undefined && { instances: instancesOf(options.instances) }),
      state: openMemoryFile(options.state, id),
      newId: () => uuidv7(now(), randomBytes(10)),
      sleep,
      signal: stop,
      report: event => terminal.out(lineOf(event)),
    });
  } catch (error) {
    if (stop.aborted) return;
    rethrow(error, error instanceof ExecutorRefused || error instanceof UnusableMemory);
  }
};

const help = `
It evaluates the ten skills of library 0.2.2 for the story.context messages of
its consumer, and publishes skill.warning.raised. Without --instances it takes
those that are registered for its consumer, and reads them anew each minute.

The names of the connections are those of variables in your shell: NAME_ID and
NAME_SECRET, beside SOMBUS_BASE_URL and SOMBUS_WORKSPACE. If SOMBUS_BASE_URL is
not set, they default to the demo connections of the local service.

The state file keeps what was declared and answered. Stop the executor at any
time, and start it again with the same file.`;

export const executorCommand = command({
  usage: 'executor',
  description: 'execute skill instances: one line per warning',
  target: 'folder',
  options,
  help,
  run: execute,
});

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { WantedConnection } from '../../access/registry/connection-set.ts';
import { ConsumerRefused, connect, fromEnvironment } from '../../kit/client/index.ts';
import { systemOutside } from '../../kit/client/outside.ts';
import { type RoleConnections, type RoleMessage, RoleRefused } from '../../kit/newsroom/actor.ts';
import { type Day, dayOf, localDate, localText } from '../../kit/newsroom/day.ts';
import { playDay } from '../../kit/newsroom/play.ts';
import { type RoleName, roleNames, roleTable, systemOf } from '../../kit/newsroom/roles.ts';
import { type Beat, script } from '../../kit/newsroom/script.ts';
import { dataFiles } from '../../local/data-folder.ts';
import { lockFolder } from '../../local/folder-lock.ts';
import { readSeed } from '../../local/seed.ts';
import { type CommandRun, command } from '../frame/command.ts';
import { CommandRefused, rethrow } from '../frame/failures.ts';
import {
  flag,
  matching,
  type OptionsOf,
  option,
  repeatable,
  speedUp,
  wholeNumber,
  withDefault,
} from '../frame/options.ts';
import { untilStopped } from '../frame/terminal.ts';
import { applySet, defaultOut } from '../operator/apply.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const prefixOf = (role: RoleName): string => `SOMBUS_NEWSROOM_${role.toUpperCase()}`;

export const newsroomConnections = (): readonly WantedConnection[] =>
  roleNames.flatMap(name => {
    const { system_id } = systemOf(name);
    const common = { name, app: system_id, prefix: prefixOf(name) };
    const { grants, receives } = roleTable[name];
    return [
      {
        ...common,
        kind: 'producer',
        systemIds: [system_id],
        grants,
        receives: [],
        sources: [],
        named: ['systemIds', 'grants'],
      },
      {
        ...common,
        kind: 'consumer',
        systemIds: [],
        grants: [],
        receives,
        sources: [],
        named: ['receives'],
      },
    ] as const;
  });

const role = matching(
  (text): text is RoleName => Object.hasOwn(roleTable, text),
  `The roles are ${roleNames.join(', ')}.`,
);

const day = (text: string): Day => {
  const read = dayOf(text);
  if (read === undefined) throw new InvalidArgumentError('A day is a date such as 2026-05-04.');
  return read;
};

const maxSpeed = 1000;

const options = {
  day: option('--day <date>', 'the day (default: today)', day),
  speed: withDefault(
    option(
      '--speed <factor>',
      'how much faster than a day, from 06:00',
      speedUp(1, maxSpeed, `A speed is a number from 1 (a whole day) to ${maxSpeed}.`),
    ),
    1,
    'as long as a day',
  ),
  minutes: option(
    '--minutes <number>',
    'stop after this time (default: when the day is over)',
    wholeNumber(1, 1440),
  ),
  without: repeatable(
    '--without <role>',
    'leave out a role that your system plays (repeatable)',
    role,
  ),
  only: repeatable('--only <role>', 'play only this role (repeatable)', role),
  issueMissing: flag('--issue-missing', 'issue new secrets where this machine does not have them'),
};

type NewsroomOptions = OptionsOf<typeof options>;

const maxLockSeconds = 60;
const lockPollMilliseconds = 300;

/**
 * Does something while no other process does it: of several that start at once, the first makes the
 * connections, and the others find them.
 */
const lockedOut = async <T>(folder: string, make: () => Promise<T>): Promise<T> => {
  mkdirSync(folder, { recursive: true });
  const until = systemOutside.now() + maxLockSeconds * 1000;
  for (;;) {
    const release = lockFolder(folder);
    if (release) return make().finally(release);
    if (systemOutside.now() > until)
      throw new CommandRefused(
        `Another process has been making the newsroom's connections for ${maxLockSeconds} s.`,
      );
    await systemOutside.sleep(lockPollMilliseconds);
  }
};

/**
 * The credentials of the roles: those of the shell, or those of the demo workspace of the local
 * service, which are made if need be.
 */
export const variablesFor = async (
  call: Pick<CommandRun<Pick<NewsroomOptions, 'issueMissing'>>, 'ports' | 'notes' | 'options'>,
): Promise<{ variables: Variables; from: string }> => {
  const { data, issueMissing } = call.options;
  if (roleNames.some(name => process.env[`${prefixOf(name)}_PRODUCER_ID`]))
    return { variables: process.env, from: 'your shell' };
  const workspace = readSeed(data)?.workspace;
  if (workspace === undefined)
    throw new CommandRefused(
      `There is no local service in ${data}. For another bus, run "sombus connections apply ` +
        'examples/newsroom.yaml" there and load the file that it writes.',
    );
  const out = join(data, `${dataFiles.newsroom}.env`);
  const set = {
    wanted: newsroomConnections(),
    workspace,
    out,
    elsewhere: defaultOut,
    issueMissing,
  };
  const { applied, variables } = await lockedOut(join(data, dataFiles.newsroom), () =>
    applySet(call.ports, set, call.notes),
  );
  if (applied.some(({ secret }) => secret === undefined))
    throw new CommandRefused(
      `The connections of the newsroom are there, but their secrets are not in ${out}: load ` +
        'the file that has them, or issue new ones with --issue-missing.',
    );
  return { variables, from: out };
};

const connectionsOf = (name: RoleName, variables: Variables): RoleConnections => {
  const as = (kind: 'PRODUCER' | 'CONSUMER') =>
    connect(fromEnvironment(variables, `${prefixOf(name)}_${kind}`));
  return { producer: as('PRODUCER'), consumer: as('CONSUMER') };
};

const lineOf = (beats: readonly Beat[], { role, message, outcome, cause }: RoleMessage): string => {
  const { message_id, message_type, timestamp, correlation_id } = message;
  const story = beats.find(beat => beat.message.correlation_id === correlation_id)?.story ?? '-';
  const beat = beats.find(one => one.message.message_id === message_id);
  const isSnapshot = message.message_type === 'story.context';
  const about = isSnapshot ? `${story} ${message.payload.sequence_number}` : story;
  const why =
    beat?.note ?? `after ${cause?.message_type} from ${cause?.originating_system.system_id}`;
  return [
    localText(Date.parse(timestamp)).slice(11),
    role.padEnd(10),
    message_type.padEnd(24),
    about.padEnd(16),
    outcome.padEnd(11),
    message_id,
    why,
  ].join('  ');
};

const summaryOf = (counts: ReadonlyMap<string, number>): string => {
  if (counts.size === 0) return 'nothing was published';
  return [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
};

const play = async (call: CommandRun<NewsroomOptions>): Promise<void> => {
  const { terminal, options } = call;
  const { only, without, speed } = options;
  const played = roleNames.filter(
    name => (only.length === 0 || only.includes(name)) && !without.includes(name),
  );
  if (played.length === 0) throw new CommandRefused('No role is left to play.');
  const { variables, from } = await variablesFor(call);
  const today = options.day ?? dayOf(localDate(Date.now()));
  if (today === undefined) throw new Error('The clock of this machine names no day.');
  const beats = script(today);
  const counts = new Map<string, number>();
  terminal.out(
    `Fennel Quay News, ${today.date}, ${speed === 1 ? 'in real time' : `${speed} times as fast`}`,
  );
  for (const name of without)
    terminal.out(`${name} is yours: its connections are ${prefixOf(name)}_* in ${from}`);
  const stop = untilStopped(options.minutes && options.minutes * 60);
  await playDay({
    day: today,
    speed,
    roles: new Map(played.map(name => [name, connectionsOf(name, variables)])),
    time: systemOutside,
    signal: stop,
    report(told) {
      counts.set(told.outcome, (counts.get(told.outcome) ?? 0) + 1);
      terminal.out(lineOf(beats, told));
    },
  }).catch((error: unknown) => {
    if (stop.aborted) return;
    rethrow(error, error instanceof RoleRefused || error instanceof ConsumerRefused);
  });
  terminal.out(`${stop.aborted ? 'stopped' : 'the day is over'}: ${summaryOf(counts)}`);
};

const help = `
Eight systems of an invented newsroom play their day over the bus: two follow
a script, the others react. It keeps nothing: stop it at any time, and start it
again. A day is played once; another --day is fresh.

Its connections are those of examples/newsroom.yaml. It makes them in the demo
workspace of the local service, or uses SOMBUS_NEWSROOM_* of your shell.`;

export const newsroomCommand = command({
  usage: 'newsroom',
  description: 'play a day of eight newsroom systems over the bus, one line per message',
  target: 'folder',
  options,
  help,
  run: play,
});

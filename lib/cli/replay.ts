import { Command } from 'commander';
import {
  type Replay,
  type Replays,
  replayFacts,
  replayRecord,
  replaySummary,
  startReplay,
} from '../replay/replay.ts';
import { accepted, type CommandContext, newNotes, Refused } from './command.ts';
import { type CommonOptions, common, type PointInTime, pointInTime } from './options.ts';
import { printRecord, printTable } from './print.ts';

interface StartOptions extends CommonOptions {
  readonly connection: string;
  readonly from: PointInTime;
  readonly to?: PointInTime;
  readonly type?: string;
  readonly correlation?: string;
  readonly force?: true;
}

const found = async (replays: Replays, id: string): Promise<Replay> => {
  const replay = await replays.find(id);
  if (!replay) throw new Refused(`There is no replay ${id}.`);
  return replay;
};

const startCommand = ({ terminal, registry }: CommandContext): Command =>
  common(new Command('start'))
    .description("send archived messages to a consumer's queue again")
    .requiredOption('--connection <id>', 'the consumer connection')
    .requiredOption(
      '--from <time>',
      'accepted at or after this time: yesterday, 2h (ago) or RFC 3339',
      pointInTime,
    )
    .option('--to <time>', 'accepted before this time, in the same forms (default: now)', pointInTime)
    .option('--type <type>', 'only this message type, or family.*')
    .option('--correlation <id>', 'only this correlation_id')
    .option('--force', 'allow a type that is unknown to SOM 1.0 and to the skill library')
    .action(async ({ data, json, connection, from, to, type, correlation, force }: StartOptions) => {
      const ports = registry(data);
      const now = ports.clock.now();
      const range = {
        from: from(now),
        to: to?.(now) ?? now,
        ...(type === undefined ? {} : { type }),
        ...(correlation === undefined ? {} : { correlationId: correlation }),
        ...(force ? { force } : {}),
      };
      const started = accepted(await startReplay(ports, connection, range));
      await newNotes(terminal, registry(data)).onId(connection, 'replay.start', replayFacts(started));
      printRecord(terminal, replayRecord(started), json);
    });

const statusCommand = ({ terminal, registry }: CommandContext): Command =>
  common(new Command('status').argument('<id>'))
    .description('show the progress of a replay')
    .action(async (id: string, { data, json }: CommonOptions) => {
      printRecord(terminal, replayRecord(await found(registry(data).replays, id)), json);
    });

const listedReplays = 200;

const listCommand = ({ terminal, registry }: CommandContext): Command =>
  common(new Command('list'))
    .description('list the running replays, or the last 200 replays to one consumer, the newest first')
    .option('--connection <id>', 'the consumer connection')
    .action(async ({ data, json, connection }: CommonOptions & { connection?: string }) => {
      const ports = registry(data);
      const ids =
        connection === undefined
          ? [...(await ports.replays.running())].reverse()
          : (await ports.replayList.ofConnection(connection, { max: listedReplays })).entries;
      const known = (await Promise.all(ids.map(id => ports.replays.find(id)))).filter(
        replay => replay !== undefined,
      );
      printTable(terminal, known.map<object>(json ? replayRecord : replaySummary), json);
    });

const cancelCommand = ({ terminal, registry }: CommandContext): Command =>
  common(new Command('cancel').argument('<id>'))
    .description('stop a replay; messages already sent stay in the queue')
    .action(async (id: string, { data, json }: CommonOptions) => {
      const ports = registry(data).replays;
      const { status, connection } = await found(ports, id);
      const cancelled = await ports.end(id, { status: 'cancelled' });
      if (!cancelled) throw new Refused(`The replay ${id} is not running: it is ${status}.`);
      await newNotes(terminal, registry(data)).onId(connection, 'replay.cancel', { replay: id });
      printRecord(terminal, replayRecord(await found(ports, id)), json);
    });

export const replayCommand = (context: CommandContext): Command => {
  const command = new Command('replay').description('replays: send archived messages to a consumer again');
  for (const make of [startCommand, listCommand, statusCommand, cancelCommand])
    command.addCommand(make(context));
  return command;
};

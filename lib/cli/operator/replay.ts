import { replayFacts, replayRecord, replaySummary } from '../../bus/replay/replay.ts';
import { cancelReplay, startReplay } from '../../bus/replay/start-replay.ts';
import { defined } from '../../contract/outside.ts';
import type { OperatorPorts } from '../../wiring/operator.ts';
import { type CommandGroup, command } from '../frame/command.ts';
import { accepted, found } from '../frame/failures.ts';
import { option, pointInTime, required } from '../frame/options.ts';

const start = command({
  usage: 'start',
  description: "send archived messages to a consumer's queue again",
  options: {
    connection: required('--connection <id>', 'the consumer connection'),
    from: required(
      '--from <time>',
      'accepted at or after this time: yesterday, 2h (ago) or RFC 3339',
      pointInTime,
    ),
    to: option(
      '--to <time>',
      'accepted before this time, in the same forms (default: now)',
      pointInTime,
    ),
    type: option('--type <type>', 'only this message type, or family.*'),
    correlation: option('--correlation <id>', 'only this correlation_id'),
    force: option<true>(
      '--force',
      'allow a type that is unknown to SOM 1.0 and to the skill library',
    ),
  },
  async run({ ports, notes, options }) {
    const { connection, from, to, type, correlation, force } = options;
    const now = ports.clock.now();
    const range = {
      from: from(now),
      to: to?.(now) ?? now,
      ...defined({ type, correlationId: correlation }),
      ...(force && { force }),
    };
    const started = accepted(await startReplay(ports, connection, range));
    await notes.onId(connection, 'replay.start', replayFacts(started));
    return { ...replayRecord(started), ...defined({ note: started.note }) };
  },
});

const listedReplays = 200;

const listedIds = async (
  { replays, replayList }: OperatorPorts,
  connection: string | undefined,
): Promise<readonly string[]> => {
  if (connection === undefined) return (await replays.running()).toReversed();
  const { entries } = await replayList.ofConnection(connection, { max: listedReplays });
  return entries;
};

const list = command({
  usage: 'list',
  description:
    'list the running replays, or the last 200 replays to one consumer, the newest first',
  options: { connection: option('--connection <id>', 'the consumer connection') },
  async run({ ports, options: { connection, json } }) {
    const ids = await listedIds(ports, connection);
    const known = await Promise.all(ids.map(id => ports.replays.find(id)));
    return known
      .filter(replay => replay !== undefined)
      .map<object>(json ? replayRecord : replaySummary);
  },
});

export const replayCommand: CommandGroup = {
  name: 'replay',
  description: 'replays: send archived messages to a consumer again',
  commands: [
    start,
    list,
    {
      usage: 'status <id>',
      description: 'show the progress of a replay',
      run: async ({ ports: { replays } }, id) =>
        replayRecord(found(await replays.find(id), 'replay', id)),
    },
    {
      usage: 'cancel <id>',
      description: 'stop a replay; messages already sent stay in the queue',
      async run({ ports, notes }, id) {
        const replay = found(accepted(await cancelReplay(ports, id)), 'replay', id);
        await notes.onId(replay.connection, 'replay.cancel', { replay: id });
        return replayRecord(replay);
      },
    },
  ],
};

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { roleNames } from '../../lib/kit/newsroom/roles.ts';
import { startBus, type TestBus } from '../../lib/local/testing/index.ts';
import { day, wholeDay, witnessed } from '../kit/newsroom/whole-day.ts';
import { Random } from '../simulation/random.ts';
import { program } from '../support/service-process.ts';

interface NewsroomFigures {
  readonly seed: number;
  readonly kills: number;
  readonly messages: number;
  /** Messages of the day that did not come. */
  readonly missing: readonly string[];
  /** Messages that came and are not of the day, or came twice. */
  readonly others: readonly string[];
}

/** The credentials of all roles, as `sombus newsroom` reads them. */
const variablesOf = (bus: TestBus): Readonly<Record<string, string>> => {
  const variables: Record<string, string> = {
    SOMBUS_BASE_URL: bus.baseUrl,
    SOMBUS_WORKSPACE: bus.workspace,
  };
  for (const role of roleNames) {
    for (const kind of ['producer', 'consumer'] as const) {
      const { id, secret } = bus.connection(role, kind);
      const name = `SOMBUS_NEWSROOM_${role}_${kind}`.toUpperCase();
      variables[`${name}_ID`] = id;
      variables[`${name}_SECRET`] = secret;
    }
  }
  return variables;
};

/** Requests within which a play is killed: those of its start, and a few messages. */
const maxRequests = 60;

/**
 * Plays the day at great speed, kills its process with SIGKILL at random requests, and goes on
 * until the day is over.
 */
export const killNewsroom = async (kills: number, seed: number): Promise<NewsroomFigures> => {
  const random = new Random(seed);
  let onRequest = (): void => undefined;
  const bus = await startBus({ connections: 'examples/newsroom.yaml', print: () => onRequest() });
  const witness = await bus.consumer();
  const play = async (maxCalls: number): Promise<boolean> => {
    const args = ['newsroom', '--day', day.date, '--speed', '1000'];
    const env = { ...process.env, ...variablesOf(bus) };
    const child = spawn(process.execPath, [program, ...args], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    let calls = 0;
    onRequest = () => {
      calls += 1;
      if (calls > maxCalls) child.kill('SIGKILL');
    };
    const [code, signal] = await once(child, 'close');
    onRequest = () => undefined;
    if (signal !== 'SIGKILL' && code !== 0)
      throw new Error(`sombus newsroom ended with code ${code}.`);
    // What a killed process had in hand comes again.
    await bus.clock.advance('2m');
    return signal === 'SIGKILL';
  };
  let done = 0;
  while (done < kills) done += (await play(random.below(maxRequests))) ? 1 : 0;
  await play(Number.POSITIVE_INFINITY);
  const came = await witnessed(witness);
  await bus.close();
  const missing = wholeDay.filter(line => !came.includes(line));
  const others = came.filter(
    (line, index) => !wholeDay.includes(line) || came.indexOf(line) !== index,
  );
  return { seed, kills: done, messages: came.length, missing, others };
};

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import type { Ready } from '../../lib/local/start.ts';
import { basic, bearer, call, post } from '../support/http-client.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import {
  devOn,
  program,
  type ServiceProcess,
  startService,
  temporaryFolder,
} from '../support/service-process.ts';
import { type Damage, damages, filesIn } from './damages.ts';
import { emptyQueue, type Readable, readLedger } from './read-back.ts';

/**
 * What a start on a damaged folder came to. `refused`: it ended with one sentence and code 2. `intact`: everything acknowledged is
 * there, unchanged. `refusedLater`: it started, and then did not answer. All else is wrong.
 */
type Outcome = 'refused' | 'intact' | 'refusedLater' | 'wrong';

export interface DamageResult {
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** What was not refused at the start and not intact, in a sentence each. */
  readonly complaints: readonly string[];
}

/** How a service ended that did not start. */
interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

interface Started extends Readable {
  kill(): Promise<void>;
}

/** Starts a service on a data folder that may be damaged; one that does nothing at all is ended. */
const tryStart = async (folder: string): Promise<{ readonly started: Started } | Ended> => {
  const child = spawn(process.execPath, [program, ...devOn(['--data', folder, '--json', '--no-limits'])], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  let stderr = '';
  child.stderr.on('data', chunk => {
    stderr += chunk;
  });
  const ended = once(child, 'close');
  const lines = createInterface(child.stdout);
  const [line] = await Promise.race([once(lines, 'line'), ended.then(() => [undefined])]);
  if (typeof line !== 'string') return { code: child.exitCode, stderr };
  const ready: Ready = JSON.parse(line);
  const stop = async (): Promise<number | null> => {
    child.kill('SIGKILL');
    await ended;
    return null;
  };
  const kill = async (): Promise<void> => void (await stop());
  return { started: { folder, service: { ready, child, later: [], stop }, kill } };
};

/** All that must have survived: ledger, queue, secrets, and that a message is known which was acknowledged. */
const stateOf = async (readable: Readable, known: string) => {
  const { base_url, workspace, producer, consumer } = readable.service.ready;
  const token = await bearer(base_url, producer);
  const { status } = await post(`${base_url}/tenants/${workspace}/messages`, token, known);
  const asConsumer = await call(`${base_url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: basic(consumer) },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const ledger = Object.fromEntries([...(await readLedger(readable))].sort());
  const queue: Record<string, string[]> = {};
  for (const { body } of await emptyQueue(readable)) {
    const { correlation_id: story } = JSON.parse(body) as { readonly correlation_id: string };
    queue[story] = [...(queue[story] ?? []), body];
  }
  return { repeated: status, tokens: [token.length > 20, asConsumer.status], ledger, queue };
};

type State = Awaited<ReturnType<typeof stateOf>>;

/** Messages that are acknowledged, in two runs, and of those the consumer's: pulled and acknowledged. */
const published = 90;
const settled = 10;

/** Publishes snapshots and links of a few stories; the demo consumer settles what it gets in between. */
const publishSome = async (service: ServiceProcess, count: number): Promise<string> => {
  const { base_url, workspace, producer, consumer } = service.ready;
  const [token, asConsumer] = [await bearer(base_url, producer), await bearer(base_url, consumer)];
  const stories = Array.from({ length: 5 }, () => randomUUID());
  let first = '';
  for (let index = 0; index < count; index += 1) {
    const correlation_id = stories[index % stories.length] ?? '';
    const payload = { story_id: `story-${correlation_id}`, sequence_number: index + 1 };
    const message = index % 3 ? storyContext(payload, { correlation_id }) : linkCommitted({ correlation_id });
    const text = JSON.stringify(message, null, index % 4);
    const { status } = await post(`${base_url}/tenants/${workspace}/messages`, token, text);
    if (status !== 202) throw new Error(`A publish was answered with ${status}.`);
    first ||= text;
  }
  const queue = `${base_url}/tenants/${workspace}/consumers/${consumer.client_id}`;
  const pulled = await call(`${queue}/messages?max=${settled / 2}&wait=5`, {
    headers: { authorization: asConsumer },
  });
  const messages = pulled.body['messages'] as { readonly receipt_handle: string }[];
  if (messages.length !== settled / 2) throw new Error(`A pull got ${messages.length} messages.`);
  await post(`${queue}/ack`, asConsumer, { receipt_handles: messages.map(one => one.receipt_handle) });
  return first;
};

/** Folders as a service leaves them: at an earlier time, when it was killed, and when it was stopped. */
const prepareFolders = async (root: string) => {
  const [killed, stopped, older] = ['killed', 'stopped', 'older'].map(name => join(root, name)) as [
    string,
    string,
    string,
  ];
  const first = await startService(killed, '--no-limits');
  const known = await publishSome(first, published / 3);
  await first.stop();
  cpSync(killed, older, { recursive: true });
  const second = await startService(killed, '--no-limits');
  await publishSome(second, (2 * published) / 3);
  await second.stop('SIGKILL');
  cpSync(killed, stopped, { recursive: true });
  await (await startService(stopped, '--no-limits')).stop();
  return { killed, stopped, older, known };
};

const oneSentence = /^[^\n]+\.\n$/;

interface Verdict {
  readonly outcome: Outcome;
  readonly why: string;
}

const differences = (state: State, expected: State): readonly string[] =>
  Object.entries(expected)
    .filter(([name, value]) => !isDeepStrictEqual(new Map(Object.entries(state)).get(name), value))
    .map(([name]) => name);

const judge = async (folder: string, known: string, expected: State): Promise<Verdict> => {
  const result = await tryStart(folder);
  if (!('started' in result)) {
    const { code, stderr } = result;
    if (code === 2 && oneSentence.test(stderr)) return { outcome: 'refused', why: stderr };
    return { outcome: 'wrong', why: `the start ended with code ${code} and said: ${stderr}` };
  }
  try {
    const differing = differences(await stateOf(result.started, known), expected);
    if (differing.length === 0) return { outcome: 'intact', why: '' };
    return { outcome: 'wrong', why: `not as acknowledged: ${differing.join(', ')}` };
  } catch (fault) {
    return { outcome: 'refusedLater', why: String(fault) };
  } finally {
    await result.started.kill();
  }
};

/** What a folder without damage holds; everything that was acknowledged is in it. */
const expectedOf = async (base: string, known: string): Promise<State> => {
  const copy = temporaryFolder();
  cpSync(base, copy.path, { recursive: true });
  const whole = await tryStart(copy.path);
  if (!('started' in whole)) throw new Error(`A folder without damage was refused: ${whole.stderr}`);
  const state = await stateOf(whole.started, known);
  await whole.started.kill();
  copy.remove();
  const [kept, waiting] = [state.ledger, state.queue].map(
    stories => Object.values(stories).flat().length,
  ) as [number, number];
  if (kept !== published || waiting !== published - settled)
    throw new Error(`${kept} of ${published} messages are kept, ${waiting} wait.`);
  return state;
};

interface Folders {
  readonly base: string;
  readonly older: string;
  /** A message that was acknowledged. */
  readonly known: string;
}

const judgeDamage = async (
  { base, older, known }: Folders,
  expected: State,
  [file, damage]: readonly [string, Damage],
): Promise<Verdict> => {
  const copy = temporaryFolder();
  cpSync(base, copy.path, { recursive: true });
  const path = join(copy.path, file);
  damage.inflict(path, join(older, file));
  const isSame = existsSync(path) && readFileSync(path).equals(readFileSync(join(base, file)));
  const verdict = isSame ? { outcome: 'intact' as const, why: '' } : await judge(copy.path, known, expected);
  copy.remove();
  return verdict;
};

export interface DamageOptions {
  /** Bits to flip in each file, one at a time. */
  readonly flips: number;
  isAsked(file: string, damage: string): boolean;
  print(line: string): void;
}

/** Damages each file of a data folder in each way, after a kill and after a stop, and starts a service on it. */
export const damageEverything = async ({ flips, isAsked, print }: DamageOptions): Promise<DamageResult> => {
  const root = temporaryFolder();
  const outcomes: Record<Outcome, number> = { refused: 0, intact: 0, refusedLater: 0, wrong: 0 };
  const complaints: string[] = [];
  try {
    const { killed, stopped, ...rest } = await prepareFolders(root.path);
    for (const [when, base] of Object.entries({ killed, stopped })) {
      const expected = await expectedOf(base, rest.known);
      const all = filesIn(base).flatMap(file => damages(flips).map(damage => [file, damage] as const));
      for (const one of all.filter(([file, damage]) => isAsked(file, damage.name))) {
        const { outcome, why } = await judgeDamage({ base, ...rest }, expected, one);
        const line = [when, one[0], one[1].name, outcome, why.trim()].join(' | ');
        outcomes[outcome] += 1;
        print(line);
        if (outcome === 'wrong' || outcome === 'refusedLater') complaints.push(line);
      }
    }
  } finally {
    root.remove();
  }
  return { outcomes, complaints };
};

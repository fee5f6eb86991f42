import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { bearer, post } from '../support/http-client.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import { type ServiceProcess, sombus, startService, temporaryFolder } from '../support/service-process.ts';
import { type Client, committedTwice, compare, pulledFrom, readFrom, type Sent } from './deliveries.ts';

export interface TortureOptions {
  readonly kills: number;
  readonly publishes: number;
  readonly producers: number;
  readonly stories: number;
}

export interface TortureResult {
  readonly acknowledged: number;
  readonly resent: number;
  readonly delivered: number;
  readonly repeated: number;
  readonly lost: number;
  readonly outOfOrder: number;
  readonly changed: number;
  readonly committedTwice: number;
  readonly seconds: number;
}

/** The service's address stays; the process behind it comes and goes. */
interface Stage {
  readonly folder: string;
  service: ServiceProcess;
  readonly sent: Map<string, Sent[]>;
  acknowledged: number;
  resent: number;
}

const startAgain = (stage: Stage): Promise<ServiceProcess> => {
  const { port } = new URL(stage.service.ready.base_url);
  return startService(stage.folder, '--no-limits', '--port', port);
};

/** Sends one message until the service has it: the same bytes, whatever happens in between. */
const publish = async (stage: Stage, token: () => Promise<string>, text: string): Promise<void> => {
  const { base_url, workspace } = stage.service.ready;
  for (let tries = 0; ; tries += 1) {
    const answer = await post(`${base_url}/tenants/${workspace}/messages`, await token(), text).catch(
      () => undefined,
    );
    if (answer?.status === 202 || answer?.status === 200) return;
    if (answer && answer.status < 500 && answer.status !== 401) {
      throw new Error(`A publish was refused with ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    stage.resent += 1;
    await setTimeout(Math.min(20 * 2 ** tries, 300));
  }
};

/** One producer goes through its stories in turn, each with its snapshots and links in order. */
const produce = async (stage: Stage, stories: readonly string[], count: number): Promise<void> => {
  const { base_url, producer } = stage.service.ready;
  let known: string | undefined;
  const token = async () => {
    known ??= await bearer(base_url, producer);
    return known;
  };
  for (let index = 0; index < count; index += 1) {
    const correlation_id = stories[index % stories.length] ?? '';
    const sequence_number = Math.floor(index / stories.length) + 1;
    const message =
      index % 3 === 0
        ? linkCommitted({ correlation_id })
        : storyContext({ story_id: `story-${correlation_id}`, sequence_number }, { correlation_id });
    const text = JSON.stringify(message, null, index % 4);
    await publish(stage, token, text);
    stage.sent.get(correlation_id)?.push({ messageId: String(message['message_id']), text });
    stage.acknowledged += 1;
  }
};

/** Kills the service again and again while the producers work, after about the same number of publishes each time. */
const killAgainAndAgain = async (
  stage: Stage,
  kills: number,
  every: number,
  isOver: () => boolean,
): Promise<number> => {
  let done = 0;
  for (let next = every; done < kills && !isOver(); next += every) {
    while (stage.acknowledged < next && !isOver()) await setTimeout(2);
    await setTimeout((done * 7) % 23);
    await stage.service.stop('SIGKILL');
    stage.service = await startAgain(stage);
    done += 1;
  }
  return done;
};

const createConsumer = async (stage: Stage, app: string): Promise<Client> => {
  const { workspace } = stage.service.ready;
  const flags = [
    '--kind',
    'consumer',
    '--workspace',
    workspace,
    '--app',
    app,
    '--data',
    stage.folder,
    '--json',
  ];
  const { stdout, stderr } = await sombus('connection', 'create', ...flags);
  if (stdout === '') throw new Error(stderr);
  const { connection_id, client_secret } = JSON.parse(stdout);
  return { client_id: connection_id, client_secret };
};

/** Publishes from many producers to three consumers while the whole service is killed again and again, and compares. */
export const torture = async (
  options: TortureOptions,
): Promise<TortureResult & { readonly kills: number }> => {
  const { publishes, producers, stories } = options;
  const folder = temporaryFolder();
  const began = performance.now();
  const ids = Array.from({ length: stories }, () => randomUUID());
  const service = await startService(folder.path, '--no-limits');
  const stage: Stage = {
    folder: folder.path,
    service,
    sent: new Map(ids.map(id => [id, []])),
    acknowledged: 0,
    resent: 0,
  };
  try {
    const others = [await createConsumer(stage, 'second'), await createConsumer(stage, 'third')];
    let over = false;
    const working = Array.from({ length: producers }, (_, producer) =>
      produce(
        stage,
        ids.filter((_id, index) => index % producers === producer),
        Math.ceil(publishes / producers),
      ),
    );
    const killing = killAgainAndAgain(
      stage,
      options.kills,
      Math.floor(publishes / (options.kills + 1)),
      () => over,
    );
    await Promise.all(working).finally(() => {
      over = true;
    });
    const kills = await killing;
    const got = [
      await readFrom(stage),
      ...(await Promise.all(others.map(other => pulledFrom(stage, other)))),
    ];
    const results = got.map(one => compare(stage.sent, one));
    const sum = (name: 'lost' | 'outOfOrder' | 'changed' | 'repeated') =>
      results.reduce((total, one) => total + one[name], 0);
    return {
      kills,
      acknowledged: stage.acknowledged,
      resent: stage.resent,
      delivered: got.reduce((total, { length }) => total + length, 0),
      repeated: sum('repeated'),
      lost: sum('lost'),
      outOfOrder: sum('outOfOrder'),
      changed: sum('changed'),
      committedTwice: await committedTwice(stage),
      seconds: Math.round((performance.now() - began) / 1000),
    };
  } finally {
    await stage.service.stop('SIGKILL');
    folder.remove();
  }
};

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ConsumerRefused, type Delivery, NoResponse } from '../../lib/kit/client/index.ts';
import {
  type Faults,
  startBus,
  type TestBus,
  type TestConnection,
} from '../../lib/local/testing/index.ts';
import { Random } from '../simulation/random.ts';

/**
 * What was handed to a consumer: the chain and the number of each message, in the order of their
 * arrival.
 */
type Arrivals = readonly (readonly [chain: string, number: number])[];

/**
 * What a client does with two connections: publishes so many messages of so many chains, and
 * consumes until all were there.
 */
type Client = (
  connections: {
    readonly producer: TestConnection;
    readonly consumer: TestConnection;
    readonly bus: TestBus;
  },
  work: { readonly chains: readonly string[]; readonly each: number; random(): number },
) => Promise<Arrivals>;

const faultsFor = (random: () => number): Faults => {
  const kind = Math.floor(random() * 4);
  if (kind === 0) return { loseResponses: 1 + Math.floor(random() * 2) };
  if (kind === 1) return { refuse: { status: 429, times: 1 } };
  if (kind === 2) return { refuse: { status: 503, times: 1 + Math.floor(random() * 2) } };
  return {};
};

/** Something goes wrong in every tenth request. Visibility runs out now and then. */
const stir = ({
  bus,
  connections,
  random,
}: {
  bus: TestBus;
  connections: TestConnection[];
  random(): number;
}): void => {
  const victim = connections[Math.floor(random() * connections.length)];
  if (victim && random() < 0.1) bus.faults(victim, faultsFor(random));
  if (random() < 0.01) void bus.clock.advance('11s');
};

/** The chains whose first arrivals are not 1, 2, 3 … up to `each`. */
const brokenChains = (
  arrivals: Arrivals,
  chains: readonly string[],
  each: number,
): readonly string[] =>
  chains.filter(chain => {
    const numbers = arrivals.filter(([name]) => name === chain).map(([, number]) => number);
    const first = [...new Set(numbers)];
    return first.length !== each || first.some((number, index) => number !== index + 1);
  });

const arrivalOf = ({
  correlationId,
  message,
}: Pick<Delivery, 'correlationId' | 'message'>): Arrivals[number] => [
  correlationId,
  Number(Object(message.payload).number),
];

/** Everything in the queue of a consumer whom nothing ever went wrong for. */
const witnessed = async (witness: TestConnection): Promise<Arrivals> => {
  const arrivals: Arrivals[number][] = [];
  for await (const delivery of witness.consume({ wait: 0, untilEmpty: true }))
    arrivals.push(arrivalOf(delivery));
  return arrivals;
};

/**
 * Consumes until the queue is empty, or until a call has used up its deadline: the clock is turned
 * all the time.
 */
const consumeOnce = async (
  consumer: TestConnection,
  random: () => number,
  handle: (arrival: Arrivals[number]) => void,
): Promise<void> => {
  try {
    for await (const delivery of consumer.consume({ wait: 0, visibility: 10, untilEmpty: true })) {
      if (random() < 0.1) await delivery.release();
      else handle(arrivalOf(delivery));
    }
  } catch (fault) {
    if (!(fault instanceof NoResponse || fault instanceof ConsumerRefused)) throw fault;
  }
};

/** The client of this package. Each tenth message is returned at first. */
export const typescriptClient: Client = async (
  { producer, consumer, bus },
  { chains, each, random },
) => {
  const arrivals: Arrivals[number][] = [];
  const publish = async (chain: string): Promise<void> => {
    for (let number = 1; number <= each; number += 1) {
      const draft = {
        message_type: 'asset.ingested',
        correlation_id: chain,
        payload: { number },
      } as const;
      const { outcome } = await producer.publish(producer.compose(draft), { deadline: 86_400_000 });
      if (outcome !== 'accepted' && outcome !== 'duplicate')
        throw new Error(`A publish was ${outcome}.`);
    }
  };
  const published = Promise.all(chains.map(publish));
  let done = false;
  void published.then(() => {
    done = true;
  });
  const seen = new Set<string>();
  while (!done || seen.size < chains.length * each) {
    await consumeOnce(consumer, random, arrival => {
      arrivals.push(arrival);
      seen.add(arrival.join(' '));
    });
    await bus.clock.advance('11s');
  }
  await published;
  return arrivals;
};

/** The Python client, in a process of its own: what it prints is JSON. */
export const pythonClient =
  (python: string): Client =>
  async ({ producer, consumer }, { chains, each }) => {
    const input = JSON.stringify({
      producer: producer.options,
      consumer: consumer.options,
      chains,
      each,
    });
    const env = { ...process.env, PYTHONPATH: 'clients/python/src', PYTHONDONTWRITEBYTECODE: '1' };
    const stdio = ['pipe', 'pipe', 'inherit'] as const;
    const child = spawn(python, ['test/campaign/python_client.py'], { env, stdio: [...stdio] });
    child.stdin?.end(input);
    const lines = createInterface({ input: child.stdout ?? process.stdin });
    const arrivals: Arrivals[number][] = [];
    lines.on('line', line => arrivals.push(JSON.parse(line)));
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`The Python client ended with code ${code}.`);
    return arrivals;
  };

export interface FaultyBusFigures {
  readonly messages: number;
  readonly requests: number;
  readonly redelivered: number;
  /** Chains of which a message was lost or came out of order. */
  readonly broken: readonly string[];
  /** Messages that the bus accepted twice. */
  readonly twice: number;
}

const chainCount = 20;

/**
 * Publishes and consumes messages while requests are refused and responses are lost, and compares
 * what arrived.
 */
export const runOnFaultyBus = async (
  client: Client,
  messages: number,
  seed: number,
): Promise<FaultyBusFigures> => {
  const source = new Random(seed);
  const random = () => source.next();
  const connections: TestConnection[] = [];
  let requests = 0;
  const bus: TestBus = await startBus({
    print: () => {
      requests += 1;
      stir({ bus, connections, random });
    },
  });
  const producer = await bus.producer();
  const consumer = await bus.consumer();
  const witness = await bus.consumer();
  connections.push(producer, consumer);
  const each = Math.ceil(messages / chainCount);
  const chains = Array.from({ length: chainCount }, () => crypto.randomUUID());
  const arrivals = await client({ producer, consumer, bus }, { chains, each, random });
  connections.length = 0;
  const all = await witnessed(witness);
  await bus.close();
  const broken = new Set([
    ...brokenChains(arrivals, chains, each),
    ...brokenChains(all, chains, each),
  ]);
  return {
    messages: chains.length * each,
    requests,
    redelivered: arrivals.length - new Set(arrivals.map(arrival => arrival.join(' '))).size,
    broken: [...broken],
    twice: all.length - chains.length * each,
  };
};

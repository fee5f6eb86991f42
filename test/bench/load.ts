import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** One request of a load: its body and headers are made when it is sent. */
export interface Target {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  body(): Buffer | undefined;
}

export interface Load {
  readonly answered: ReadonlyMap<number, number>;
  /** Milliseconds, sorted; open loop: from the moment a request should have been sent. */
  readonly milliseconds: readonly number[];
  readonly seconds: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 512 });

/** The status of one answer; 0 when there was none. */
const send = ({ url, method, headers, body }: Target): Promise<number> =>
  new Promise(resolve => {
    const bytes = body();
    const length = bytes ? { 'content-length': String(bytes.length) } : {};
    const sent = request(url, { method, agent, headers: { ...headers, ...length } }, answer => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.once('error', () => resolve(0));
    sent.end(bytes);
  });

const summary = (answered: Map<number, number>, milliseconds: number[], began: number): Load => ({
  answered,
  milliseconds: milliseconds.sort((a, b) => a - b),
  seconds: (performance.now() - began) / 1000,
});

/** So many clients, each sending its next request when it has the answer to the last. */
export const closedLoop = async (target: Target, clients: number, seconds: number): Promise<Load> => {
  const answered = new Map<number, number>();
  const milliseconds: number[] = [];
  const began = performance.now();
  const client = async (): Promise<void> => {
    while (performance.now() - began < seconds * 1000) {
      const sentAt = performance.now();
      const status = await send(target);
      milliseconds.push(performance.now() - sentAt);
      answered.set(status, (answered.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return summary(answered, milliseconds, began);
};

/** Requests at fixed times, whether or not earlier ones are answered; `burst` more at once in the middle. */
export const openLoop = async (
  target: Target,
  { perSecond, seconds, burst }: { perSecond: number; seconds: number; burst: number },
): Promise<Load> => {
  const answered = new Map<number, number>();
  const milliseconds: number[] = [];
  const began = performance.now();
  const regular = Array.from({ length: perSecond * seconds }, (_, index) => (index * 1000) / perSecond);
  const middle = (seconds * 1000) / 2;
  const times = [...regular, ...Array.from({ length: burst }, () => middle)].sort((a, b) => a - b);
  const running: Promise<void>[] = [];
  for (const at of times) {
    const early = began + at - performance.now();
    if (early > 1) await setTimeout(early);
    running.push(
      send(target).then(status => {
        milliseconds.push(performance.now() - began - at);
        answered.set(status, (answered.get(status) ?? 0) + 1);
      }),
    );
  }
  await Promise.all(running);
  return summary(answered, milliseconds, began);
};

export const percentile = ({ milliseconds }: Load, percent: number): number =>
  milliseconds[Math.min(milliseconds.length - 1, Math.floor((milliseconds.length * percent) / 100))] ?? 0;

/** `accepted` is what was answered with 202, `refused` everything else. */
export const row = (name: string, load: Load, accepted = 202): string => {
  const took = load.answered.get(accepted) ?? 0;
  const refused = load.milliseconds.length - took;
  const columns = [
    name.padEnd(44),
    (took / load.seconds).toFixed(0).padStart(7),
    percentile(load, 50).toFixed(1).padStart(8),
    percentile(load, 99).toFixed(1).padStart(8),
    String(took).padStart(8),
    String(refused).padStart(8),
  ];
  return columns.join(' ');
};

export const head = `${''.padEnd(44)}   per s   p50 ms   p99 ms   number  refused`;

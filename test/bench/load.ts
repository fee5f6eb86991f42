import { randomUUID } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** A connection that is kept open, for one request at a time. Status 0: it was cut. */
export const openClient = (port: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, noDelay: true });
  return {
    async send({ method, path, headers = {}, body = Buffer.alloc(0) }: Request) {
      const length = { 'content-length': String(body.length) };
      const sent = httpRequest({
        host: '127.0.0.1',
        port,
        agent,
        method,
        path,
        headers: { ...headers, ...length },
      });
      return new Promise<{ readonly status: number; readonly body: Buffer }>(resolve => {
        const cut = (): void => resolve({ status: 0, body: Buffer.alloc(0) });
        sent.on('error', cut);
        sent.on('response', response => {
          buffer(response).then(
            bytes => resolve({ status: response.statusCode ?? 0, body: bytes }),
            cut,
          );
        });
        sent.end(body);
      });
    },
    close: () => agent.destroy(),
  };
};

export type Client = ReturnType<typeof openClient>;

/** What a load sends. */
export interface Target {
  readonly port: number;
  request(): Request;
  /** The status of a response that counts as accepted. */
  readonly accepted: number;
}

export interface Load {
  /** How many requests were answered as they should be. */
  readonly accepted: number;
  /** How many were answered otherwise or not at all. */
  readonly refused: number;
  /** Milliseconds, sorted; open loop: from the moment a request should have been sent. */
  readonly milliseconds: readonly number[];
  readonly seconds: number;
}

/**
 * Copies of a body in which each of these ids is a new one: to make a message anew would cost more
 * than to serve it.
 */
export const copiesOf = (body: Buffer, ids: readonly string[]): (() => Buffer) => {
  const places = ids.map(id => {
    const found: number[] = [];
    for (let at = body.indexOf(id); at >= 0; at = body.indexOf(id, at + 1)) found.push(at);
    return found;
  });
  return () => {
    const copy = Buffer.from(body);
    for (const found of places) {
      const id = randomUUID();
      for (const at of found) copy.write(id, at, 'latin1');
    }
    return copy;
  };
};

class Count {
  readonly #accepted: number;
  readonly #milliseconds: number[] = [];
  #took = 0;

  constructor({ accepted }: Target) {
    this.#accepted = accepted;
  }

  add(status: number, milliseconds: number): void {
    if (status === this.#accepted) this.#took += 1;
    this.#milliseconds.push(milliseconds);
  }

  load(seconds: number): Load {
    const milliseconds = this.#milliseconds.sort((a, b) => a - b);
    return {
      accepted: this.#took,
      refused: milliseconds.length - this.#took,
      milliseconds,
      seconds,
    };
  }
}

/**
 * So many clients, each sending its next request when it has the response to the last, while
 * `goesOn`.
 */
const closed = async (target: Target, clients: number, goesOn: () => boolean): Promise<Load> => {
  const count = new Count(target);
  const began = performance.now();
  const client = async (): Promise<void> => {
    const one = openClient(target.port);
    while (goesOn()) {
      const sentAt = performance.now();
      const { status } = await one.send(target.request());
      count.add(status, performance.now() - sentAt);
    }
    one.close();
  };
  await Promise.all(Array.from({ length: clients }, client));
  return count.load((performance.now() - began) / 1000);
};

export const closedLoop = (target: Target, clients: number, seconds: number): Promise<Load> => {
  const end = performance.now() + seconds * 1000;
  return closed(target, clients, () => performance.now() < end);
};

/** So many requests altogether. */
export const send = (target: Target, requests: number, clients = 16): Promise<Load> => {
  let left = requests;
  return closed(target, clients, () => {
    left -= 1;
    return left >= 0;
  });
};

interface Rate {
  readonly perSecond: number;
  readonly seconds: number;
  /** So many more at once in the middle. */
  readonly burst: number;
}

const timetable = ({ perSecond, seconds, burst }: Rate) => {
  const steady = Array.from({ length: perSecond * seconds }, (_, index) => ({
    at: (index * 1000) / perSecond,
    isBurst: false,
  }));
  const more = Array.from({ length: burst }, () => ({ at: (seconds * 1000) / 2, isBurst: true }));
  return [...steady, ...more].sort((a, b) => a.at - b.at);
};

/**
 * Requests at fixed times, whether or not earlier ones are answered; a burst is counted by itself.
 */
export const openLoop = async (
  target: Target,
  rate: Rate,
): Promise<{ steady: Load; burst: Load }> => {
  const [steady, burst] = [new Count(target), new Count(target)];
  const idle: Client[] = [];
  const running: Promise<void>[] = [];
  const began = performance.now();
  const sendOne = async (at: number, count: Count): Promise<void> => {
    const one = idle.pop() ?? openClient(target.port);
    const { status } = await one.send(target.request());
    count.add(status, performance.now() - began - at);
    idle.push(one);
  };
  for (const { at, isBurst } of timetable(rate)) {
    const early = began + at - performance.now();
    if (early > 1) await setTimeout(early);
    running.push(sendOne(at, isBurst ? burst : steady));
  }
  await Promise.all(running);
  for (const one of idle) one.close();
  const seconds = (performance.now() - began) / 1000;
  return { steady: steady.load(seconds), burst: burst.load(seconds) };
};

export const percentile = ({ milliseconds }: Load, percent: number): number =>
  milliseconds[
    Math.min(milliseconds.length - 1, Math.floor((milliseconds.length * percent) / 100))
  ] ?? 0;

export const perSecond = ({ accepted, seconds }: Load): number => accepted / seconds;

/** Several slices of the same load as one. */
export const together = (loads: readonly Load[]): Load => ({
  accepted: loads.reduce((sum, { accepted }) => sum + accepted, 0),
  refused: loads.reduce((sum, { refused }) => sum + refused, 0),
  milliseconds: loads.flatMap(({ milliseconds }) => milliseconds).sort((a, b) => a - b),
  seconds: loads.reduce((sum, { seconds }) => sum + seconds, 0),
});

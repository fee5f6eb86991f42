import { bearer, type Response } from '../support/http-client.ts';
import type { ServiceProcess } from '../support/service-process.ts';

/** A message that the service acknowledged. */
export interface Sent {
  readonly messageId: string;
  readonly correlationId: string;
  readonly text: string;
  /** When its first try began and when it was acknowledged, as ascending numbers. */
  readonly began: number;
  readonly ended: number;
  /** A snapshot's. */
  readonly sequenceNumber?: number;
}

let moments = 0;

export const moment = (): number => {
  moments += 1;
  return moments;
};

/** The service keeps its address while its process is killed and started again. */
export interface Stage {
  readonly folder: string;
  service: ServiceProcess;
  /** Settles when the service is running: at once, or after it was started again. */
  started: Promise<void>;
  /** Told of every response to a publish, and of the end. */
  onProgress: () => void;
  /** By message_id. */
  readonly acknowledged: Map<string, Sent>;
  /** Snapshots that came too late for their story. */
  refused: number;
  resent: number;
  /** Publishes that were answered with 503. */
  unavailable: number;
  /** Requests that were answered with another status of a server's fault: none should be. */
  faults: number;
  /** Whether the producers are finished. */
  isOver: boolean;
}

/** Waits until a condition holds, or the producers are finished. */
export const until = (stage: Stage, condition: () => boolean): Promise<void> =>
  new Promise(resolve => {
    stage.onProgress = () => {
      if (stage.isOver || condition()) resolve();
    };
    stage.onProgress();
  });

/**
 * How `fetch` says that a connection was refused or cut. Its errors are Node's, not jest's:
 * `instanceof` does not hold.
 */
const wasCut = (fault: unknown): boolean =>
  /^TypeError: (fetch failed|terminated)/.test(String(fault)) || /^SyntaxError/.test(String(fault));

/** The response; undefined when the service was killed before the response was complete. */
export const unlessKilled = async <T>(response: Promise<T>): Promise<T | undefined> => {
  try {
    return await response;
  } catch (fault) {
    if (wasCut(fault)) return undefined;
    throw fault;
  }
};

/**
 * Whether the same request may be sent again, when the service is back. Counts what only a fault
 * can have answered.
 */
export const isWorthAnother = (
  response: Response | undefined,
  counts: Pick<Stage, 'faults'>,
): boolean => {
  if (response === undefined || response.status === 401) return true;
  if (response.status < 500) return false;
  if (response.status !== 503) counts.faults += 1;
  return true;
};

export interface Client {
  readonly client_id: string;
  readonly client_secret: string;
}

/** A token that is asked for once, until the service has one. */
export const tokenOf = (stage: Stage, client: Client): (() => Promise<string>) => {
  let known: string | undefined;
  return async () => {
    while (known === undefined) {
      known = await unlessKilled(bearer(stage.service.ready.base_url, client));
      if (known?.endsWith(' undefined')) known = undefined;
      if (known === undefined) await stage.started;
    }
    return known;
  };
};

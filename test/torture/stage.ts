import { bearer } from '../support/http-client.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { unlessKilled } from './answered.ts';

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

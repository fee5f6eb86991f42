import type { MessagePort } from 'node:worker_threads';
import { AwsError, type AwsErrorShape } from '../engines/aws-json/input.ts';
import { errorMessage } from '../engines/machine.ts';
import type { JsonObject } from '../json/value.ts';
import type { EngineRoom } from './engine-room.ts';
import type { Endpoints } from './env.ts';

/*
 * What the service and the thread of its engines say to each other: `engine-thread.ts` is the side of the service,
 * `serve-engine-room.ts` that of the thread. A port copies what goes through it.
 */

export type Service = keyof Endpoints;

/** What is answered. */
export type Request =
  | { readonly service: Service; readonly name: string; readonly input: JsonObject }
  | { readonly what: 'saved' | 'close' };

/** What is sent to the thread. Responses come in any order. */
export type ToThread =
  | (Request & { readonly id: number })
  /** The caller of this request is gone. */
  | { readonly cancel: number }
  | { readonly endPolls: true }
  | { readonly note: string; readonly value: object }
  /** The guard has done what it was asked for. */
  | { readonly guarded: true }
  /**
   * Tells the thread to exit: `worker.terminate()` during a call into libsql aborts the whole process
   * (https://github.com/neon-bindings/neon/issues/1061).
   */
  | { readonly end: true };

/** An error as it is sent: a refusal of an engine has a shape. */
interface Fault {
  readonly message: string;
  readonly refusal?: { readonly shape: AwsErrorShape; readonly members: JsonObject };
}

export interface Response {
  readonly id: number;
  readonly output?: JsonObject;
  readonly fault?: Fault;
}

/** Whether the room is open. */
export type Opening =
  | { readonly refused: string }
  | {
      readonly endpoints: Endpoints;
      readonly signIn: EngineRoom['signIn'];
      readonly operations: readonly (readonly [Service, readonly string[]])[];
      readonly notes: Readonly<Record<string, unknown>>;
    };

export type FromThread =
  | Opening
  | Response
  | { readonly warning: string }
  | { readonly failed: string }
  | { readonly guard: 'hold' | 'release' };

export const faultOf = (thrown: unknown): Fault => ({
  message: errorMessage(thrown),
  ...(thrown instanceof AwsError && { refusal: { shape: thrown.shape, members: thrown.members } }),
});

export const errorOf = ({ message, refusal }: Fault): Error =>
  refusal ? new AwsError(refusal.shape, message, refusal.members) : new Error(message);

/** Posts the messages of one turn together: to wake the other thread takes longer than to copy a message. */
export class Outbox<Message extends object> {
  readonly #port: Pick<MessagePort, 'postMessage'>;
  readonly #onFault: (message: Message, fault: unknown) => void;
  #messages: Message[] = [];

  /** @param onFault called with a message that cannot be copied */
  constructor(port: Pick<MessagePort, 'postMessage'>, onFault: (message: Message, fault: unknown) => void) {
    this.#port = port;
    this.#onFault = onFault;
  }

  post(message: Message): void {
    if (this.#messages.length === 0) queueMicrotask(() => this.#flush());
    this.#messages.push(message);
  }

  #flush(): void {
    const messages = this.#messages;
    this.#messages = [];
    try {
      this.#port.postMessage(messages);
    } catch {
      for (const message of messages) this.#postAlone(message);
    }
  }

  #postAlone(message: Message): void {
    try {
      this.#port.postMessage([message]);
    } catch (fault) {
      this.#onFault(message, fault);
    }
  }
}

/** The one operation for which it matters whether its caller is gone. */
export const receive = 'ReceiveMessage';

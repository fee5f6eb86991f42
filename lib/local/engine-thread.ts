import { type MessagePort, Worker } from 'node:worker_threads';
import type { Call, Operations } from '../engines/aws-json/server.ts';
import { errorMessage } from '../engines/machine.ts';
import { holdDatabase, releaseDatabase } from '../engines/store/store.ts';
import type { JsonObject } from '../json/value.ts';
import { deferred } from './deferred.ts';
import {
  errorOf,
  type FromThread,
  faultOf,
  type Opening,
  Outbox,
  type Request,
  type Response,
  receive,
  type Service,
  type ToThread,
} from './engine-port.ts';
import type { EngineRoom, RoomOptions } from './engine-room.ts';
import { StartRefusal } from './start-refusal.ts';

/*
 * An engine room in a worker thread. More than half of the work on a request is done in there, at the same time as that on other
 * requests out here.
 */

/** Requests to the thread that are not answered yet. */
class Requests {
  readonly #outbox: Outbox<ToThread>;
  readonly #waiting = new Map<number, { resolve(output: JsonObject): void; reject(fault: Error): void }>();
  #last = 0;
  #ended: Error | undefined;

  constructor(port: Pick<MessagePort, 'postMessage'>) {
    this.#outbox = new Outbox(port, (message, fault) => {
      if ('id' in message) this.answer({ id: message.id, fault: faultOf(fault) });
    });
  }

  post(message: ToThread): void {
    this.#outbox.post(message);
  }

  /** @param gone aborted when the caller leaves: also after the answer, which it may never have read */
  async send(request: Request, gone?: AbortSignal): Promise<JsonObject> {
    if (this.#ended) throw this.#ended;
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.post({ ...request, id });
      const cancel = () => this.post({ cancel: id });
      if (gone?.aborted) cancel();
      gone?.addEventListener('abort', cancel, { once: true });
    });
  }

  answer({ id, output = {}, fault }: Response): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (fault) waiting?.reject(errorOf(fault));
    else waiting?.resolve(output);
  }

  /** No more answers come. */
  end(reason: Error): void {
    this.#ended ??= reason;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }
}

const operationsOf = (requests: Requests, service: Service, names: readonly string[]): Operations =>
  new Map(
    names.map(name => [
      name,
      (input: JsonObject, call: Call) =>
        requests.send({ service, name, input }, name === receive ? call.gone : undefined),
    ]),
  );

/** A running thread. */
const startThread = (program: string, options: RoomOptions, warn: (line: string) => void) => {
  const thread = new Worker(program, { workerData: options });
  const requests = new Requests(thread);
  const [opening, failed] = [deferred<Opening>(), deferred<StartRefusal>()];
  const exited = deferred<void>();
  let isClosing = false;
  const ended = (reason: string): void => {
    requests.end(new Error(`the engines have ended: ${reason}`));
    opening.resolve({ refused: `The engines cannot start: ${reason}.` });
    if (!isClosing)
      failed.resolve(new StartRefusal(`The engines ended: ${reason}. No accepted message is lost.`));
  };
  const guard = (asked: 'hold' | 'release'): void => {
    try {
      if (asked === 'hold') holdDatabase(options.database);
      else releaseDatabase(options.database);
      requests.post({ guarded: true });
    } catch (fault) {
      ended(errorMessage(fault));
    }
  };
  const read = (message: FromThread): void => {
    if ('id' in message) requests.answer(message);
    else if ('guard' in message) guard(message.guard);
    else if ('failed' in message) failed.resolve(new StartRefusal(message.failed));
    else if ('warning' in message) warn(message.warning);
    else opening.resolve(message);
  };
  thread.on('error', fault => ended(errorMessage(fault)));
  thread.on('exit', code => {
    ended(`their thread stopped with code ${code}`);
    exited.resolve();
  });
  thread.on('message', (messages: readonly FromThread[]) => {
    for (const message of messages) read(message);
  });
  const end = async (): Promise<void> => {
    requests.post({ end: true });
    await exited.promise;
  };
  const close = async (): Promise<void> => {
    isClosing = true;
    await requests.send({ what: 'close' }).finally(end);
  };
  return { requests, opening: opening.promise, failed: failed.promise, close, end };
};

/**
 * Opens an engine room in a worker thread.
 *
 * @param program the file whose thread calls `serveEngineRoom`
 * @throws StartRefusal as `openEngineRoom` does
 */
export const startEngineThread = async (
  program: string,
  options: RoomOptions,
  warn: (line: string) => void,
): Promise<EngineRoom> => {
  const { requests, opening, failed, close, end } = startThread(program, options, warn);
  const opened = await opening;
  if ('refused' in opened) {
    await end();
    throw new StartRefusal(opened.refused);
  }
  const notes = new Map(Object.entries(opened.notes));
  let closed: Promise<void> | undefined;
  return {
    endpoints: opened.endpoints,
    signIn: opened.signIn,
    operations: Object.fromEntries(
      opened.operations.map(([service, names]) => [service, operationsOf(requests, service, names)]),
    ),
    notes: {
      read: name => notes.get(name),
      write: (note, value) => requests.post({ note, value }),
    },
    failed,
    saved: () => requests.send({ what: 'saved' }).then(() => undefined),
    endPolls: () => requests.post({ endPolls: true }),
    close() {
      closed ??= close();
      return closed;
    },
  };
};

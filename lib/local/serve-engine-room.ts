import type { MessagePort } from 'node:worker_threads';
import { errorMessage } from '../engines/machine.ts';
import type { Guard } from '../engines/store/store.ts';
import type { JsonObject } from '../json/value.ts';
import { deferred } from './deferred.ts';
import {
  type FromThread,
  faultOf,
  type Opening,
  Outbox,
  type Request,
  receive,
  type Service,
  type ToThread,
} from './engine-port.ts';
import { type EngineRoom, type OpenRoom, openEngineRoom, type RoomOptions } from './engine-room.ts';

/** Callers of so many answered receives are remembered: they may be gone before they have read the answer. */
const maxAnswered = 1_000;

/** Callers of other operations wait for the answer. */
const never = new AbortController().signal;

/** Answers the requests that come through a port. */
class RoomServer {
  readonly #room: EngineRoom;
  readonly #outbox: Outbox<FromThread>;
  /** Of receives that are not answered yet. */
  readonly #waiting = new Map<number, AbortController>();
  /** Of answered ones, the oldest first. */
  readonly #answered = new Map<number, AbortController>();

  constructor(room: EngineRoom, outbox: Outbox<FromThread>) {
    this.#room = room;
    this.#outbox = outbox;
  }

  read(message: Exclude<ToThread, { guarded: unknown } | { end: unknown }>): void {
    if ('id' in message) void this.#answer(message);
    else if ('cancel' in message) this.#cancel(message.cancel);
    else if ('endPolls' in message) this.#room.endPolls();
    else this.#note(message.note, message.value);
  }

  #note(name: string, value: object): void {
    try {
      this.#room.notes.write(name, value);
    } catch (fault) {
      this.#outbox.post({ warning: `notes  ${errorMessage(fault)}` });
    }
  }

  async #answer(request: Request & { readonly id: number }): Promise<void> {
    const { id } = request;
    this.#outbox.post(
      await this.#outputOf(request).then(
        output => ({ id, output }),
        (fault: unknown) => ({ id, fault: faultOf(fault) }),
      ),
    );
  }

  async #outputOf(request: Request & { readonly id: number }): Promise<JsonObject> {
    if ('what' in request) {
      await this.#room[request.what]();
      return {};
    }
    const { id, service, name, input } = request;
    const operation = this.#room.operations[service]?.get(name);
    if (operation === undefined) throw new Error(`The local engine does not serve ${name}.`);
    const endpoint = this.#room.endpoints[service];
    if (name !== receive) return operation(input, { endpoint, gone: never });
    const caller = new AbortController();
    this.#waiting.set(id, caller);
    try {
      return await operation(input, { endpoint, gone: caller.signal });
    } finally {
      this.#waiting.delete(id);
      this.#remember(id, caller);
    }
  }

  #remember(id: number, caller: AbortController): void {
    this.#answered.set(id, caller);
    const [oldest] = this.#answered.keys();
    if (this.#answered.size > maxAnswered && oldest !== undefined) this.#answered.delete(oldest);
  }

  #cancel(id: number): void {
    this.#waiting.get(id)?.abort();
    this.#answered.get(id)?.abort();
    this.#answered.delete(id);
  }
}

const openingOf = ({ endpoints, signIn, operations, notes }: OpenRoom): Opening => ({
  endpoints,
  signIn,
  operations: Object.entries(operations).map(([service, all]) => [service as Service, [...all.keys()]]),
  notes: notes.all(),
});

/**
 * The guard in the main thread; `tell` says that it has done what it was asked for. One request at a time: a second one would leave the
 * first unanswered.
 */
const distantGuard = (outbox: Outbox<FromThread>) => {
  let done = deferred<void>();
  const ask = (guard: 'hold' | 'release'): Promise<void> => {
    done = deferred();
    outbox.post({ guard });
    return done.promise;
  };
  const guard: Guard = { hold: () => ask('hold'), release: () => ask('release') };
  return { guard, tell: () => done.resolve() };
};

/** The whole program of the thread. */
export const serveEngineRoom = async (port: MessagePort, options: RoomOptions): Promise<void> => {
  const outbox = new Outbox<FromThread>(port, (message, fault) => {
    if ('id' in message) outbox.post({ id: message.id, fault: faultOf(fault) });
  });
  const { guard, tell } = distantGuard(outbox);
  let server: RoomServer | undefined;
  port.on('message', (messages: readonly ToThread[]) => {
    for (const message of messages)
      if ('guarded' in message) tell();
      else if ('end' in message) process.exit();
      else server?.read(message);
  });
  let room: OpenRoom | undefined;
  try {
    room = await openEngineRoom(options, warning => outbox.post({ warning }), guard);
    const opening = openingOf(room);
    void room.failed.then(({ message }) => outbox.post({ failed: message }));
    server = new RoomServer(room, outbox);
    outbox.post(opening);
  } catch (fault) {
    await room?.close().catch(() => undefined);
    outbox.post({ refused: errorMessage(fault) });
  }
};

import { type MessagePort, Worker } from 'node:worker_threads';
import { AwsError, type AwsErrorShape } from '../engines/aws-json/input.ts';
import type { Call } from '../engines/aws-json/server.ts';
import type { Operations } from '../engines/committing.ts';
import { errorMessage } from '../engines/machine.ts';
import type { JsonObject } from '../json/value.ts';
import { type EngineRoom, type OpenRoom, openEngineRoom, type RoomOptions } from './engine-room.ts';
import type { Endpoints } from './env.ts';
import { deferred } from './gateway-server.ts';
import { StartRefusal } from './start-refusal.ts';

/*
 * An engine room in a thread of its own: what is asked of it and what it answers goes through a port, which copies it. Half of the
 * work of a request is done in there, at the same time as that of other requests out here.
 */

type Service = keyof Endpoints;

/** What is answered. */
type Question =
  | { readonly service: Service; readonly name: string; readonly input: JsonObject }
  | { readonly what: 'saved' | 'close' };

/** What is said to the thread. Answers come in any order. */
type Asked =
  | (Question & { readonly id: number })
  /** Nobody waits for this answer any more. */
  | { readonly gone: number }
  | { readonly endPolls: true }
  | { readonly note: string; readonly value: object };

/** A fault as it is handed over: a refusal of an engine has a shape. */
interface Fault {
  readonly message: string;
  readonly refusal?: { readonly shape: AwsErrorShape; readonly members: JsonObject };
}

/** The first message says whether the room is open. */
type Opening =
  | { readonly refused: string }
  | {
      readonly endpoints: Endpoints;
      readonly signIn: EngineRoom['signIn'];
      readonly operations: readonly (readonly [Service, readonly string[]])[];
      readonly notes: Readonly<Record<string, unknown>>;
    };

type Told =
  | Opening
  | { readonly id: number; readonly output?: JsonObject; readonly fault?: Fault }
  | { readonly warning: string }
  | { readonly failed: string };

const faultOf = (thrown: unknown): Fault => ({
  message: errorMessage(thrown),
  ...(thrown instanceof AwsError && { refusal: { shape: thrown.shape, members: thrown.members } }),
});

const thrown = ({ message, refusal }: Fault): Error =>
  refusal ? new AwsError(refusal.shape, message, refusal.members) : new Error(message);

/** Posts what is said in one turn of the event loop together: to wake the other thread takes longer than to copy a message. */
class Outbox<Message> {
  readonly #port: Pick<MessagePort, 'postMessage'>;
  #messages: Message[] = [];

  constructor(port: Pick<MessagePort, 'postMessage'>) {
    this.#port = port;
  }

  post(message: Message): void {
    if (this.#messages.length === 0) queueMicrotask(() => this.#flush());
    this.#messages.push(message);
  }

  #flush(): void {
    this.#port.postMessage(this.#messages);
    this.#messages = [];
  }
}

/** Resolves calls with what the thread answers. */
class Calls {
  readonly #outbox: Outbox<Asked>;
  readonly #waiting = new Map<number, { resolve(output: JsonObject): void; reject(fault: Error): void }>();
  #last = 0;
  #ended: Error | undefined;

  constructor(outbox: Outbox<Asked>) {
    this.#outbox = outbox;
  }

  async call(asked: Question, gone?: AbortSignal): Promise<JsonObject> {
    if (this.#ended) throw this.#ended;
    this.#last += 1;
    const id = this.#last;
    const leave = () => this.#outbox.post({ gone: id });
    gone?.addEventListener('abort', leave);
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        this.#outbox.post({ ...asked, id });
        if (gone?.aborted) leave();
      });
    } finally {
      gone?.removeEventListener('abort', leave);
    }
  }

  answer({ id, output = {}, fault }: Extract<Told, { id: number }>): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (fault) waiting?.reject(thrown(fault));
    else waiting?.resolve(output);
  }

  /** No more answers come. */
  end(reason: Error): void {
    this.#ended ??= reason;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }
}

/** Only long polls need to know whether somebody still waits. */
const poll = 'ReceiveMessage';

const operationsOf = (calls: Calls, service: Service, names: readonly string[]): Operations =>
  new Map(
    names.map(name => [
      name,
      (input: JsonObject, call: Call) =>
        calls.call({ service, name, input }, name === poll ? call.gone : undefined),
    ]),
  );

/**
 * Opens an engine room in a thread of its own.
 *
 * @param program the file whose thread calls {@link serveEngineRoom}
 * @throws StartRefusal as {@link openEngineRoom} does
 */
export const startEngineThread = async (
  program: string,
  options: RoomOptions,
  warn: (line: string) => void,
): Promise<EngineRoom> => {
  const thread = new Worker(program, { workerData: options });
  const outbox = new Outbox<Asked>(thread);
  const calls = new Calls(outbox);
  const [opening, failed] = [deferred<Opening>(), deferred<StartRefusal>()];
  const ended = (reason: string): void => {
    calls.end(new Error(`the engines have ended: ${reason}`));
    opening.resolve({ refused: `The engines cannot start: ${reason}.` });
    failed.resolve(new StartRefusal(`The engines ended: ${reason}. No accepted message is lost.`));
  };
  thread.on('error', fault => ended(errorMessage(fault)));
  thread.on('exit', code => ended(`code ${code}`));
  const read = (told: Told): void => {
    if ('id' in told) calls.answer(told);
    else if ('failed' in told) failed.resolve(new StartRefusal(told.failed));
    else if ('warning' in told) warn(told.warning);
    else opening.resolve(told);
  };
  thread.on('message', (all: readonly Told[]) => {
    for (const told of all) read(told);
  });
  const opened = await opening.promise;
  if ('refused' in opened) throw new StartRefusal(opened.refused);
  const notes = new Map(Object.entries(opened.notes));
  return {
    endpoints: opened.endpoints,
    signIn: opened.signIn,
    operations: Object.fromEntries(
      opened.operations.map(([service, names]) => [service, operationsOf(calls, service, names)]),
    ),
    notes: {
      read: name => notes.get(name),
      write: (note, value) => outbox.post({ note, value }),
    },
    failed: failed.promise,
    saved: () => calls.call({ what: 'saved' }).then(() => undefined),
    endPolls: () => outbox.post({ endPolls: true }),
    async close() {
      try {
        await calls.call({ what: 'close' });
      } finally {
        await thread.terminate();
      }
    },
  };
};

/** Answers what is asked through a port, one room for one port. */
class RoomServer {
  readonly #room: EngineRoom;
  readonly #outbox: Outbox<Told>;
  readonly #polls = new Map<number, AbortController>();

  constructor(room: EngineRoom, outbox: Outbox<Told>) {
    this.#room = room;
    this.#outbox = outbox;
  }

  read(asked: Asked): void {
    if ('service' in asked) void this.#answer(asked.id, () => this.#run(asked));
    else if ('what' in asked)
      void this.#answer(asked.id, () => this.#room[asked.what]().then(() => undefined));
    else if ('gone' in asked) this.#polls.get(asked.gone)?.abort();
    else if ('note' in asked) this.#room.notes.write(asked.note, asked.value);
    else this.#room.endPolls();
  }

  async #answer(id: number, work: () => Promise<JsonObject | undefined>): Promise<void> {
    const told = await work().then(
      output => (output ? { id, output } : { id }),
      (fault: unknown) => ({ id, fault: faultOf(fault) }),
    );
    this.#outbox.post(told);
  }

  async #run({ id, service, name, input }: Extract<Asked, { service: Service }>): Promise<JsonObject> {
    const operation = this.#room.operations[service]?.get(name);
    if (operation === undefined) throw new Error(`The local engine does not serve ${name}.`);
    const gone = new AbortController();
    if (name === poll) this.#polls.set(id, gone);
    try {
      return await operation(input, { endpoint: this.#room.endpoints[service], gone: gone.signal });
    } finally {
      this.#polls.delete(id);
    }
  }
}

const openingOf = ({ endpoints, signIn, operations, notes }: OpenRoom): Opening => ({
  endpoints,
  signIn,
  operations: Object.entries(operations).map(([service, all]) => [service as Service, [...all.keys()]]),
  notes: notes.all(),
});

/** The whole program of the thread. */
export const serveEngineRoom = async (port: MessagePort, options: RoomOptions): Promise<void> => {
  const outbox = new Outbox<Told>(port);
  try {
    const room = await openEngineRoom(options, warning => outbox.post({ warning }));
    const server = new RoomServer(room, outbox);
    void room.failed.then(({ message }) => outbox.post({ failed: message }));
    port.on('message', (all: readonly Asked[]) => {
      for (const asked of all) server.read(asked);
    });
    outbox.post(openingOf(room));
  } catch (fault) {
    outbox.post({ refused: errorMessage(fault) });
  }
};

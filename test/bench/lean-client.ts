import { connect, type Socket } from 'node:net';

/** A response: its status, 0 when the connection was cut, and its body. */
export interface Reply {
  readonly status: number;
  readonly body: Buffer;
}

const cut: Reply = { status: 0, body: Buffer.alloc(0) };
const headEnd = Buffer.from('\r\n\r\n');

/** A complete answer at the start of some bytes; undefined while a part is missing. */
const replyIn = (bytes: Buffer): Reply | undefined => {
  const end = bytes.indexOf(headEnd);
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  if (length === undefined && !head.startsWith('HTTP/1.1 204'))
    throw new Error(`A response has no length: ${head}`);
  const start = end + headEnd.length;
  const stop = start + Number(length ?? 0);
  if (bytes.length < stop) return undefined;
  return { status: Number(head.slice(9, 12)), body: bytes.subarray(start, stop) };
};

/**
 * One connection that is kept open, for one request at a time. It does as little as HTTP allows, so that a measurement shows
 * the server and not the client; it reads only responses that state their length.
 */
export class Connection {
  readonly #port: number;
  #socket: Socket | undefined;
  #received: Buffer | undefined;
  #response: (reply: Reply) => void = () => undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends a whole request, as bytes that nobody changes any more. */
  send(request: Buffer): Promise<Reply> {
    return new Promise(resolve => {
      this.#response = resolve;
      this.#socket ??= this.#open();
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    const socket = connect(this.#port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.on('data', chunk => this.#read(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#received = undefined;
      this.#response(cut);
    });
    return socket;
  }

  #read(chunk: Buffer): void {
    const bytes = this.#received ? Buffer.concat([this.#received, chunk]) : chunk;
    const reply = replyIn(bytes);
    this.#received = reply ? undefined : bytes;
    if (reply) this.#response(reply);
  }
}

/** A whole request. Its content length is added. */
export const requestOf = (
  line: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer = '',
): Buffer => {
  const bytes = Buffer.from(body);
  const fields = Object.entries({ host: '127.0.0.1', ...headers, 'content-length': String(bytes.length) });
  const head = `${line} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
};

import { proxyFor } from './bus-url.ts';

/*
 * `fetch` of Node 20 knows no proxy, and that of Node 24 only with NODE_USE_ENV_PROXY. Node's
 * modules are asked for at run time, since browsers load this file too. The types have what is
 * used.
 */

type Options = Readonly<Record<string, unknown>>;

interface Socket {
  destroy(): void;
}

interface IncomingResponse extends AsyncIterable<Uint8Array<ArrayBuffer>> {
  readonly statusCode?: number;
  readonly rawHeaders: readonly string[];
}

interface OutgoingRequest {
  once(event: 'error', listener: (error: Error) => void): this;
  once(event: 'response', listener: (response: IncomingResponse) => void): this;
  once(event: 'connect', listener: (response: IncomingResponse, socket: Socket) => void): this;
  end(body?: Uint8Array): void;
}

interface Agent {
  createConnection(
    options: Options,
    connected: (error: Error | null, socket?: Socket) => void,
  ): void;
}

interface HttpModule {
  request(url: string, options: Options): OutgoingRequest;
}

interface NodeModules {
  'node:http': HttpModule;
  'node:https': HttpModule & { readonly Agent: new (options: Options) => Agent };
  'node:tls': { connect(options: Options): Socket };
}

interface NodeProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  getBuiltinModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name];
}

const isNode = (process: Partial<NodeProcess> | undefined): process is NodeProcess =>
  process?.env !== undefined && process.getBuiltinModule !== undefined;

const authorizationFor = ({ username, password }: URL): Options => {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${btoa(pair)}` };
};

interface Destination {
  readonly proxy: URL;
  /** The host and its port. */
  readonly authority: string;
}

/** A connection to a host through a proxy (RFC 9110 section 9.3.6). */
const tunnel = (node: NodeProcess, { proxy, authority }: Destination): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { request } = node.getBuiltinModule(
      proxy.protocol === 'https:' ? 'node:https' : 'node:http',
    );
    const connect = request(proxy.origin, {
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...authorizationFor(proxy) },
      agent: false,
    });
    const fail = (what: string) => reject(new Error(`the proxy ${proxy.origin} ${what}`));
    connect.once('error', ({ message }) => fail(`cannot be reached: ${message}`));
    connect.once('response', ({ statusCode }) => fail(`answered ${statusCode}`));
    connect.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      fail(`answered ${statusCode}`);
    });
    connect.end();
  });

/** Keeps its connections for the next requests. */
const agentThrough = (node: NodeProcess, proxy: URL): Agent => {
  const { Agent } = node.getBuiltinModule('node:https');
  const { connect } = node.getBuiltinModule('node:tls');
  const agent = new Agent({ keepAlive: true });
  agent.createConnection = (options, connected) => {
    const authority = `${String(options['host'])}:${String(options['port'])}`;
    tunnel(node, { proxy, authority }).then(
      socket => connected(null, connect({ ...options, socket })),
      (error: Error) => connected(error),
    );
  };
  return agent;
};

const agents = new Map<string, Agent>();

const agentFor = (node: NodeProcess, proxy: URL): Agent => {
  const agent = agents.get(proxy.href) ?? agentThrough(node, proxy);
  agents.set(proxy.href, agent);
  return agent;
};

/** What has no body by its status (Fetch standard, "null body status"). */
const withoutBody = new Set([204, 205, 304]);

const responseOf = async (incoming: IncomingResponse): Promise<Response> => {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const { statusCode = 0, rawHeaders } = incoming;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  const body = withoutBody.has(statusCode) ? null : new Blob(chunks);
  return new Response(body, { status: statusCode, headers });
};

const fetchThrough = async (node: NodeProcess, proxy: URL, request: Request): Promise<Response> => {
  const body = new Uint8Array(await request.arrayBuffer());
  const { signal } = request;
  const incoming = new Promise<IncomingResponse>((resolve, reject) => {
    const outgoing = node.getBuiltinModule('node:https').request(request.url, {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      agent: agentFor(node, proxy),
      signal,
    });
    outgoing.once('error', reject);
    // Without a socket, Node keeps the error of a request until it has one.
    signal.addEventListener('abort', () => reject(signal.reason));
    outgoing.once('response', resolve);
    outgoing.end(body);
  });
  return incoming.then(responseOf).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new TypeError('fetch failed', { cause });
  });
};

/**
 * `fetch`, which in Node goes through the proxy that the environment names. There it follows no
 * redirect.
 */
export const proxiedFetch = async (url: string, init: RequestInit): Promise<Response> => {
  const { process } = globalThis as { process?: Partial<NodeProcess> };
  if (!isNode(process)) return fetch(url, init);
  const choice = proxyFor(new URL(url), process.env);
  if (choice === undefined || choice.unused !== undefined) return fetch(url, init);
  return fetchThrough(process, choice.proxy, new Request(url, init));
};

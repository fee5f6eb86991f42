import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AnswerContext, answerCall } from './answer-call.ts';
import type { AwsJsonService } from './aws-json-service.ts';

export interface RunningEngine {
  /** `http://127.0.0.1:<port>`. */
  readonly endpoint: string;
  /** Takes no new request, finishes those under way, closes the files. */
  close(): Promise<void>;
}

export interface AwsJsonServerOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Told of every error that is not a refusal. */
  readonly onFault?: (fault: unknown) => void;
}

/** Longer than the SDKs keep an idle connection, so that a reused one is not closed under them. */
const keepAliveMs = 65_000;
/** How long a client that does not read its answer may hold up `close`. */
const closeGraceMs = 2_000;

/** Serves `service` over the AWS JSON protocol on 127.0.0.1. Signatures are not checked: loopback only. */
export async function startAwsJsonServer(
  service: AwsJsonService,
  options: AwsJsonServerOptions,
): Promise<RunningEngine> {
  const context: { -readonly [K in keyof AnswerContext]: AnswerContext[K] } = {
    service,
    endpoint: '',
    closing: false,
    onFault: options.onFault ?? (() => undefined),
  };
  const underWay = new Set<Promise<void>>();
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    const done = answered(context, request, response).finally(() => underWay.delete(done));
    underWay.add(done);
  });
  context.endpoint = await listen(server, options.port);
  return {
    endpoint: context.endpoint,
    async close() {
      context.closing = true;
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      await Promise.race([Promise.all(underWay), grace()]);
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answered(context: AnswerContext, request: IncomingMessage, response: ServerResponse) {
  const gone = new Promise<void>(resolve => response.on('close', resolve));
  await answerCall(context, request, response);
  await gone;
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`http://127.0.0.1:${bound}`);
    });
  });
}

const grace = () => new Promise<void>(resolve => setTimeout(resolve, closeGraceMs).unref());

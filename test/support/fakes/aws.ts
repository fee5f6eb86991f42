import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

type Input = Readonly<Record<string, unknown>>;

/** A call of AWS: its operation, or method and path, and what it was given. */
type AwsCall = readonly [operation: string, input: Input];

/** JSON, or XML; a function is asked with what the call was given. */
type AwsAnswer = object | string | ((input: Input) => object | string);

/** An error as the services with JSON document it. */
export class AwsRefusal {
  readonly type: string;

  constructor(type: string) {
    this.type = type;
  }
}

const callIn = (request: IncomingMessage, body: string): AwsCall => {
  const [, target] = String(request.headers['x-amz-target'] ?? '').split('.');
  if (target !== undefined) return [target, JSON.parse(body)];
  const {
    Action: action,
    Version: _version,
    ...form
  } = Object.fromEntries(new URLSearchParams(body));
  if (action !== undefined) return [action, form];
  return [`${request.method} ${request.url}`, body === '' ? {} : JSON.parse(body)];
};

/**
 * AWS, at one address for all of its services, which answers as told and refuses everything else.
 */
export const fakeAws = async (answers: Readonly<Record<string, AwsAnswer>>) => {
  const calls: AwsCall[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const [operation, input] = callIn(request, body);
    calls.push([operation, input]);
    const told = answers[operation] ?? new AwsRefusal('AccessDeniedException');
    const answer = typeof told === 'function' ? told(input) : told;
    if (answer instanceof AwsRefusal) {
      const { type } = answer;
      const message = `${operation}: ${type}`;
      response.writeHead(400, { 'content-type': 'application/json', 'x-amzn-errortype': type });
      response.end(JSON.stringify({ __type: type, message }));
      return;
    }
    const isXml = typeof answer === 'string';
    const status = isXml && answer.startsWith('<ErrorResponse') ? 404 : 200;
    response.writeHead(status, { 'content-type': isXml ? 'text/xml' : 'application/json' });
    response.end(isXml ? answer : JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
};

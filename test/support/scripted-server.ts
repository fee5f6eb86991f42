import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a server does with one request. */
export type Reply = (response: ServerResponse, request: IncomingMessage) => void;

export const json =
  (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Reply =>
  response =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));

/** A response whose connection ends before its body does. */
export const cut =
  (status: number): Reply =>
  response => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '500' });
    response.write('{');
    setImmediate(() => response.destroy());
  };

/** One request that a scripted server got. */
export interface Call {
  readonly line: string;
  readonly body: string;
  readonly authorization: string | undefined;
}

/** A bus that answers as told: per address its replies in order, the last one from then on. */
export const scriptedServer = async (script: Readonly<Record<string, readonly Reply[]>>) => {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const path = new URL(request.url ?? '/', 'http://bus').pathname;
    const address = Object.keys(script).find(end => path.endsWith(end)) ?? '';
    const before = calls.filter(({ line }) => line === address).length;
    calls.push({ line: address, body, authorization: request.headers.authorization });
    const replies = script[address] ?? [];
    const reply = replies[Math.min(before, replies.length - 1)] ?? json(404, {});
    reply(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls,
    /** How often an address was asked. */
    count: (address: string): number => calls.filter(({ line }) => line === address).length,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
};

/** What the token service answers, with a token that names a workspace and a connection. */
export const tokenResponse = (expires_in = 3600): Reply => {
  const claims = Buffer.from(
    JSON.stringify({ iss: 'https://bus.example/v1/oauth', tenant: 'wtest', sub: 'ctest' }),
  ).toString('base64url');
  return json(200, { access_token: `e30.${claims}.c2ln`, token_type: 'Bearer', expires_in });
};

/** A refusal of the bus. */
export const refusal = (
  status: number,
  rule: string,
  headers: Readonly<Record<string, string>> = {},
): Reply =>
  json(
    status,
    { accepted: false, violations: [{ source: 'policy', rule, message: 'No.' }] },
    headers,
  );

import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { routes } from '../../lib/contract/routes.ts';
import { type RoleKeys, signedHeaders } from '../support/signed-client.ts';

/** The addresses of signed routes: `{…}` stands for one part of a path. */
const signed = Object.values(routes)
  .filter(({ auth }) => auth === 'sigv4')
  .map(({ path }) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/?]+')}(\\?|$)`));

export interface SigningProxy {
  readonly origin: string;
  /** How many requests were signed. */
  signatures(): number;
  close(): Promise<void>;
}

const bytesOf = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/**
 * Passes requests on to a bus as they are, except that it signs for a role what goes to a signed
 * route with an Authorization: the tool that generates requests cannot sign.
 */
export const signingProxy = async (bus: string, role: RoleKeys): Promise<SigningProxy> => {
  let signatures = 0;

  const headersFor = async ({ url = '/', method, headers }: IncomingMessage, body: Buffer) => {
    const { host: _, authorization, ...rest } = headers;
    const wanted =
      method === 'POST' && authorization !== undefined && signed.some(form => form.test(url));
    if (!wanted) return { ...rest, ...(authorization === undefined ? {} : { authorization }) };
    signatures += 1;
    const type = headers['content-type'];
    const options = { headers: type === undefined ? {} : { 'content-type': type } };
    return { ...rest, ...(await signedHeaders(role, bus + url, body, options)) };
  };

  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await bytesOf(incoming);
    const headers = await headersFor(incoming, body);
    const onward = request(bus + (incoming.url ?? '/'), {
      method: incoming.method ?? 'GET',
      headers,
    });
    onward.end(body);
    const [response] = (await once(onward, 'response')) as [IncomingMessage];
    outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
    await pipeline(response, outgoing);
  };

  const server = createServer((incoming, outgoing) => {
    // What breaks here reaches the tool as a broken connection, which it reports.
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    signatures: () => signatures,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
};

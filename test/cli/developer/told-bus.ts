import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sombusWith } from '../../support/commands.ts';
import { json, type Reply, tokenResponse } from '../../support/scripted-server.ts';

/** A bus that gives these replies one after the other, whatever it is asked, and tokens besides. */
const toldBus = async (replies: readonly Reply[]) => {
  const left = [...replies];
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.url?.endsWith('/oauth/token')) return tokenResponse()(response, request);
    asked.push(`${request.method} ${request.url} ${body}`.trimEnd());
    const reply = left.shift() ?? json(500, { violations: [{ rule: 'too.much', message: 'No.' }] });
    return reply(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
};

/** Runs a command as the connection `ctest`: what it asked of the bus, said, and ended with. */
export const askedOfBus = async (replies: readonly Reply[], ...args: readonly string[]) => {
  const bus = await toldBus(replies);
  const as = { SOMBUS_BASE_URL: bus.baseUrl, SOMBUS_CLIENT_ID: 'ctest', SOMBUS_CLIENT_SECRET: 's' };
  const { code, stdout, stderr } = await sombusWith(as, ...args);
  await bus.close();
  const lines = (text: string) =>
    text
      .replaceAll(bus.baseUrl, 'BUS')
      .split('\n')
      .filter(line => line !== '');
  return { asked: bus.asked, code, said: lines(stdout), errors: lines(stderr) };
};

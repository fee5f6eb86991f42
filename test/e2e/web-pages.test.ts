import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { routes } from '../../lib/contract/routes.ts';
import { loopback } from '../../lib/local/engines/machine.ts';
import { browserLacks, openBrowser } from '../support/browser.ts';
import { bearer } from '../support/http-client.ts';
import { oneService } from '../support/one-service.ts';
import { describeUnless } from '../support/where.ts';

/**
 * A name of the attacker, which the browser takes for this machine: what is left of DNS rebinding.
 */
const rebound = 'rebind.test';

/** What a web page asks for. */
interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** What the page sees of the response. */
const askedBy = (page: Page, origin: string, call: Call): Promise<string> =>
  page.evaluate(
    async ({ url, init }) => {
      try {
        const response = await fetch(url, init);
        return `${response.status} ${(await response.text()).slice(0, 400)}`;
      } catch (error) {
        return String(error);
      }
    },
    { url: origin + call.path, init: { ...call, path: undefined } },
  );

/** A server without any protection, which says so to everybody and keeps what it is sent. */
const nakedServer = async (): Promise<{ server: Server; port: number; taken: string[] }> => {
  const taken: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.method === 'POST') taken.push(body);
    response.setHeader('content-type', 'text/html').end('<title>page</title>naked');
  });
  await once(server.listen(0, loopback), 'listening');
  return { server, port: (server.address() as AddressInfo).port, taken };
};

// The engines check no signatures here: nothing but Host and Origin is left to hold a page off.
describeUnless(browserLacks(), 'a web page in a real browser', () => {
  const bus = oneService('--open-engines', '--no-limits');
  let browser: Browser;
  let naked: Awaited<ReturnType<typeof nakedServer>>;

  beforeAll(async () => {
    naked = await nakedServer();
    browser = await openBrowser(rebound);
  });
  afterAll(async () => {
    await browser.close();
    naked.server.close();
  });

  const aws = (target: string, input: object): Call => ({
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target },
    body: JSON.stringify(input),
  });

  const calls = {
    health: { method: 'GET', path: routes.health.path },
    publish: async (): Promise<Call> => ({
      method: 'POST',
      path: routes.publish.path.replace('{t}', bus.ready.workspace),
      headers: {
        'content-type': 'application/json',
        // Even a page that knows a token.
        authorization: await bearer(bus.base, bus.ready.producer),
      },
      body: '{}',
    }),
    library: { method: 'GET', path: routes['skill-library'].path },
    docs: { method: 'GET', path: routes.docs.path },
    tables: aws('DynamoDB_20120810.DescribeTable', { TableName: 'sombus-registry' }),
    drop: aws('DynamoDB_20120810.DeleteTable', { TableName: 'sombus-registry' }),
    queues: aws('AmazonSQS.ListQueues', {}),
    send: (): Call =>
      aws('AmazonSQS.SendMessage', {
        QueueUrl: bus.ready.consumer.queue_url,
        MessageBody: 'forged',
        MessageGroupId: 'g',
        MessageDeduplicationId: 'd',
      }),
    keys: aws('TrentService.DescribeKey', { KeyId: 'alias/sombus-signing' }),
  };

  /** Each port of the service, and what a page would like of it. */
  const ports = async (): Promise<
    readonly (readonly [name: string, origin: string, calls: readonly Call[]])[]
  > => {
    const { base_url, portal_url, endpoints } = bus.ready;
    return [
      ['bus', new URL(base_url).origin, [calls.health, await calls.publish()]],
      ['portal', portal_url, [calls.library, calls.docs]],
      ['dynamodb', endpoints.dynamodb, [calls.tables, calls.drop]],
      ['sqs', endpoints.sqs, [calls.queues, calls.send()]],
      ['kms', endpoints.kms, [calls.keys]],
    ];
  };

  /** What a page of another origin sees: nothing, except of what any page may read. */
  const crossOrigin = (call: Call): RegExp =>
    call === calls.library ? /^200 \{"library":/ : /^TypeError: Failed to fetch$/;

  const pageAt = async (url: string): Promise<Page> => {
    const page = await browser.newPage();
    await page.goto(url);
    return page;
  };

  /**
   * The attacker's page as it was before its name was bound anew: from then on, its origin is the
   * service's own port.
   */
  const reboundPage = async (origin: string): Promise<Page> => {
    const page = await browser.newPage();
    await page.route(`${origin}/page`, route =>
      route.fulfill({ contentType: 'text/html', body: 'hello' }),
    );
    await page.goto(`${origin}/page`);
    return page;
  };

  /** The queue is empty and the registry is there: what the calls above would change. */
  const untouched = async (): Promise<void> => {
    const shown = await bus.run('queue', 'show', bus.ready.consumer.client_id);
    expect(shown).toMatchObject({ code: 0, record: { visible: 0, in_flight: 0 } });
  };

  test('could read and write a server that does not look at Host', async () => {
    const origin = `http://${rebound}:${naked.port}`;
    const page = await reboundPage(origin);
    expect(await askedBy(page, origin, calls.health)).toContain('naked');
    expect(await askedBy(page, origin, { method: 'POST', path: '/', body: 'forged' })).toContain(
      '200',
    );
    expect(naked.taken).toEqual(['forged']);
    await page.close();
  });

  test('under a rebound name reads and writes nothing on any port', async () => {
    for (const [name, origin, wanted] of await ports()) {
      const { port } = new URL(origin);
      const reboundOrigin = `http://${rebound}:${port}`;
      const page = await reboundPage(reboundOrigin);
      for (const call of wanted) {
        const seen = await askedBy(page, reboundOrigin, call);
        expect([name, call.path, seen]).toEqual([
          name,
          call.path,
          expect.stringMatching(/^40[03] .*rebind\.test/),
        ]);
      }
      await page.close();
    }
    await untouched();
  });

  test('of another origin reads and writes nothing, except the open catalogue', async () => {
    const page = await pageAt(`http://${loopback}:${naked.port}/`);
    for (const [name, origin, wanted] of await ports()) {
      for (const call of wanted) {
        const seen = await askedBy(page, origin, call);
        expect([name, call.path, seen]).toEqual([
          name,
          call.path,
          expect.stringMatching(crossOrigin(call)),
        ]);
      }
    }
    await untouched();
    await page.close();
  });

  test('of another origin writes nothing with what needs no preflight: a blind request, a form', async () => {
    const page = await pageAt(`http://${loopback}:${naked.port}/`);
    for (const [, origin, wanted] of await ports()) {
      for (const { method, path, body = '' } of wanted) {
        const blind = { mode: 'no-cors', method, ...(method === 'POST' ? { body } : {}) } as const;
        const type = await page.evaluate(async ({ url, init }) => (await fetch(url, init)).type, {
          url: origin + path,
          init: blind,
        });
        expect(type).toBe('opaque');
      }
    }
    const refused = page.waitForResponse(`${bus.ready.endpoints.sqs}/`);
    await page.setContent(
      `<iframe name="frame"></iframe><form method="post" target="frame" action="${bus.ready.endpoints.sqs}/"></form>`,
    );
    await page.evaluate('document.forms[0].submit()');
    expect((await refused).status()).toBe(403);
    await untouched();
    await page.close();
  });
});

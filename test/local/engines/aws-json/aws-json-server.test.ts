import { Server } from 'node:http';
import { connect } from 'node:net';
import { AwsError } from '../../../../lib/local/engines/aws-json/input.ts';
import {
  type AdmissionCall,
  type CallContext,
  type Operation,
  type RunningEngine,
  startAwsJsonServer,
} from '../../../../lib/local/engines/aws-json/server.ts';
import { readArrived } from '../../../../lib/local/engines/machine.ts';
import { eventually } from '../../../support/eventually.ts';
import { exchange, rawConnection } from '../../../support/raw-connection.ts';

const errors: unknown[] = [];
const calls: CallContext[] = [];
let finishSlow: () => void = () => undefined;

const operations = new Map<string, Operation>([
  ['Echo', input => ({ given: input })],
  [
    'Refuse',
    ({ status = 404 }) => {
      throw new AwsError(
        { type: 'com.example#Nope', status: Number(status), queryCode: 'Example.Nope' },
        'not today',
        { Reasons: ['late'] },
      );
    },
  ],
  ['Fail', () => Promise.reject(new Error('a bug'))],
  [
    'Slow',
    async ({ fails }, call) => {
      calls.push(call);
      await new Promise<void>(resolve => {
        finishSlow = resolve;
      });
      if (fails) throw new Error('too late');
      return { done: true };
    },
  ],
]);

const service = { target: 'Test', version: '1.0', operations, maxRequestBytes: 1000 } as const;
let engine: RunningEngine;

beforeEach(async () => {
  errors.length = 0;
  calls.length = 0;
  engine = await startAwsJsonServer(service, { port: 0, onError: error => errors.push(error) });
});

afterEach(() => engine.close());

const post = (
  target: string,
  body: NonNullable<RequestInit['body']> = '{}',
  more: RequestInit = {},
  { endpoint } = engine,
) =>
  fetch(endpoint, {
    method: 'POST',
    body,
    ...more,
    headers: { 'x-amz-target': target, ...more.headers },
  });

test('an operation gets the request object; its response has a request id and the protocol version', async () => {
  const response = await post('Test.Echo', '{"a":[1]}');
  expect(await response.json()).toEqual({ given: { a: [1] } });
  expect(response.headers.get('content-type')).toBe('application/x-amz-json-1.0');
  expect(response.headers.get('x-amzn-requestid')).toMatch(/^[\da-f-]{36}$/);
});

test('a request may have as many bytes as its service says', async () => {
  const { status } = await post('Test.Echo', '{"a":1}'.padEnd(1000));
  expect(status).toBe(200);
});

test('a connection is kept for longer than clients keep an idle one', async () => {
  const response = await post('Test.Echo');
  expect(response.headers.get('keep-alive')).toBe('timeout=65');
});

test('a request may take 20 seconds to arrive, and an idle connection is kept for 65', async () => {
  const listening = jest.spyOn(Server.prototype, 'listen');
  const own = await startAwsJsonServer(service, { port: 0 });
  const [server] = listening.mock.contexts;
  listening.mockRestore();
  const { requestTimeout, headersTimeout, keepAliveTimeout } = server as Server;
  expect({ requestTimeout, headersTimeout, keepAliveTimeout }).toEqual({
    requestTimeout: 20_000,
    headersTimeout: 20_000,
    keepAliveTimeout: 65_000,
  });
  const events: string[] = [];
  (server as Server).once('close', () => events.push('the server'));
  await own.close().then(() => events.push('the engine'));
  expect(events).toEqual(['the server', 'the engine']);
});

test('a refusal has its type, its query code, its message and its members', async () => {
  const response = await post('Test.Refuse');
  expect(response.status).toBe(404);
  expect(response.headers.get('x-amzn-errortype')).toBe('com.example#Nope');
  expect(await response.json()).toEqual({
    __type: 'com.example#Nope',
    message: 'not today',
    Reasons: ['late'],
  });
  expect(errors).toEqual([]);
});

test.each([
  [404, 'Example.Nope;Sender'],
  [499, 'Example.Nope;Sender'],
  [500, 'Example.Nope;Receiver'],
])('a refusal with %i says whose fault it is: %s', async (status, told) => {
  const response = await post('Test.Refuse', JSON.stringify({ status }));
  expect([response.status, response.headers.get('x-amzn-query-error')]).toEqual([status, told]);
});

test('an error is answered with 500 and reported', async () => {
  const response = await post('Test.Fail');
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({
    __type: 'com.amazon.coral.service#InternalFailure',
    message: 'a bug',
  });
  expect(errors).toEqual([new Error('a bug')]);
});

test.each([
  ['no operation of the service', () => post('Test.None'), 400, 'does not serve Test.None'],
  ['another service', () => post('Other.Echo'), 400, 'X-Amz-Target: Test.<Operation>'],
  ['no target', () => fetch(engine.endpoint, { method: 'POST', body: '{}' }), 400, 'X-Amz-Target'],
  [
    'a GET',
    () => fetch(engine.endpoint, { headers: { 'x-amz-target': 'Test.Echo' } }),
    400,
    'Expected a POST',
  ],
  ['no JSON', () => post('Test.Echo', '{'), 400, 'is not JSON'],
  ['an array', () => post('Test.Echo', '[]'), 400, 'must be an object'],
  [
    'bytes that are not UTF-8',
    () => post('Test.Echo', Buffer.from('{"a":"\xff"}', 'latin1')),
    400,
    'UTF-8',
  ],
  ['too many bytes', () => post('Test.Echo', `"${'x'.repeat(1000)}"`), 413, 'at most 1000 bytes'],
  [
    'a web page',
    () => post('Test.Echo', '{}', { headers: { origin: 'http://evil.example' } }),
    403,
    'web pages',
  ],
  [
    'the form of a web page',
    () => {
      const body = new URLSearchParams({ Action: 'Echo' });
      return fetch(engine.endpoint, {
        method: 'POST',
        body,
        headers: { origin: 'http://evil.example' },
      });
    },
    403,
    'web pages',
  ],
])('a request with %s is refused', async (_, request, status, words) => {
  const response = await request();
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ message: expect.stringContaining(words) });
  expect(errors).toEqual([]);
});

test('a request of unknown length that grows too large is refused', async () => {
  const chunk = Buffer.alloc(600, ' ');
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(chunk);
      controller.enqueue(chunk);
      controller.close();
    },
  });
  // Node's own option for a streamed body, unknown to the DOM's types.
  const streamed: RequestInit & { duplex: 'half' } = { duplex: 'half' };
  expect((await post('Test.Echo', body, streamed)).status).toBe(413);
});

test('a request that says it is too large is refused before it is read', async () => {
  const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: Test.Echo\r\n';
  const [response] = await exchange(engine.endpoint, `${head}Content-Length: 1001\r\n\r\n`);
  expect([response?.status, response?.body]).toEqual([
    413,
    {
      __type: 'com.amazon.coral.service#RequestEntityTooLargeException',
      message: 'A request may have at most 1000 bytes',
    },
  ]);
  expect(response?.head).toContain('connection: close');
});

test.each(['{}', '{"fails":true}'])(
  'an operation learns that its caller has disconnected, and how it ends (%s) is no error',
  async input => {
    const leave = new AbortController();
    const response = post('Test.Slow', input, { signal: leave.signal }).catch(() => 'left');
    await eventually(() => calls.length > 0);
    expect(calls[0]?.endpoint).toBe(engine.endpoint);
    expect(calls[0]?.gone.aborted).toBe(false);
    leave.abort();
    expect(await response).toBe('left');
    await eventually(() => calls[0]?.gone.aborted === true);
    finishSlow();
    await engine.close();
    expect(errors).toEqual([]);
  },
);

test('a caller that disconnects while sending is not an error', async () => {
  const port = Number(new URL(engine.endpoint).port);
  await new Promise<void>(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      const head =
        'POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: Test.Echo\r\nContent-Length: 100\r\n\r\n{';
      socket.write(head, () => socket.destroy());
    });
    socket.once('close', () => resolve());
  });
  expect((await post('Test.Echo')).status).toBe(200);
  expect(errors).toEqual([]);
});

test('closing finishes the pending request and refuses new ones', async () => {
  const slow = post('Test.Slow');
  await eventually(() => calls.length > 0);
  const closed = engine.close();
  await expect(post('Test.Echo')).rejects.toThrow('fetch failed');
  finishSlow();
  const response = await slow;
  expect(await response.json()).toEqual({ done: true });
  expect(response.headers.get('connection')).toBe('close');
  await closed;
});

test('a request that arrives while the engine closes is refused as one for later', async () => {
  const slow = post('Test.Slow');
  await eventually(() => calls.length > 0);
  const late = await rawConnection(engine.endpoint);
  let told = '';
  late.on('data', text => {
    told += text;
  });
  const ended = new Promise(resolve => late.once('close', resolve));
  await new Promise(resolve => late.write('POST / HTTP/1.1\r\nHost: localhost\r\n', resolve));
  await readArrived();
  const closed = engine.close();
  late.write('X-Amz-Target: Test.Echo\r\nContent-Length: 2\r\n\r\n{}');
  await ended;
  finishSlow();
  expect((await slow).status).toBe(200);
  await closed;
  expect(told).toMatch(/^HTTP\/1\.1 503 /);
  expect(told.toLowerCase()).toContain('connection: close');
  expect(JSON.parse(told.split('\r\n\r\n')[1] ?? '')).toEqual({
    __type: 'com.amazon.coral.service#ServiceUnavailableException',
    message: 'The engine is shutting down',
  });
});

test('a caller that still waits after two seconds of a close is left alone', async () => {
  const slow = post('Test.Slow').catch(() => 'left alone');
  await eventually(() => calls.length > 0);
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  const events: string[] = [];
  const closed = engine.close().then(() => events.push('closed'));
  jest.advanceTimersByTime(1_999);
  await readArrived();
  expect(events).toEqual([]);
  jest.advanceTimersByTime(1);
  jest.useRealTimers();
  await closed;
  expect(await slow).toBe('left alone');
});

test('a port is one of the loopback address, and a taken one is a clear error', async () => {
  expect(engine.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const port = Number(new URL(engine.endpoint).port);
  await expect(startAwsJsonServer(service, { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

describe('the host of a request', () => {
  const asked = async (headers: string, hosts: readonly string[] = []) => {
    const own = await startAwsJsonServer(service, { port: 0, hosts });
    const head = `POST / HTTP/1.1\r\n${headers}Connection: close\r\nX-Amz-Target: Test.Echo\r\n`;
    const [response] = await exchange(own.endpoint, `${head}Content-Length: 2\r\n\r\n{}`);
    await own.close();
    return response;
  };

  test.each([
    ['Host: 127.0.0.1', 200],
    ['Host: LOCALHOST:9', 200],
    ['Host: [::1]:4566', 200],
    ['Host: engines.test:1', 200],
    ['Host: 127.0.0.1.evil.example:8000', 403],
    ['Host: evil.example:127.0.0.1', 403],
    ['Host: localhost@evil.example', 403],
    ['Host: 0.0.0.0:8000', 403],
    ['Host: ', 403],
  ])('%j is answered with %i', async (host, status) => {
    expect((await asked(`${host}\r\n`, ['Engines.test']))?.status).toBe(status);
  });

  test('that is foreign is told so, in any protocol', async () => {
    const refusal = {
      __type: 'com.amazon.coral.service#AccessDeniedException',
      message: 'The engine does not serve the host evil.example: use 127.0.0.1 or localhost',
    };
    const head = 'GET /?Action=ListQueues HTTP/1.1\r\nHost: evil.example\r\n';
    const [query] = await exchange(engine.endpoint, `${head}Connection: close\r\n\r\n`);
    const json = await asked('Host: evil.example\r\n');
    expect([query?.body, json?.body]).toEqual([refusal, refusal]);
  });
});

describe('admission', () => {
  const admitted: AdmissionCall[] = [];
  const start = () =>
    startAwsJsonServer(service, {
      port: 0,
      admit: call => {
        admitted.push(call);
        if (call.input['a'] === 'no')
          throw new AwsError({ type: 'com.example#No', status: 403 }, 'not you');
      },
    });

  beforeEach(() => {
    admitted.length = 0;
  });

  test('sees the operation, its input and the request as it arrived', async () => {
    const own = await start();
    expect((await post('Test.Echo', '{"a": 1}', { headers: { 'X-Own': '  1' } }, own)).status).toBe(
      200,
    );
    const [call] = admitted;
    expect(call).toMatchObject({
      operation: 'Echo',
      input: { a: 1 },
      request: { method: 'POST', target: '/', body: Buffer.from('{"a": 1}') },
    });
    expect(call?.request.headers).toContainEqual(['X-Own', '1']);
    await own.close();
  });

  test('refuses with its own error, and the operation does not run', async () => {
    const own = await start();
    const response = await post('Test.Slow', '{"a":"no"}', {}, own);
    expect([response.status, await response.json()]).toEqual([
      403,
      { __type: 'com.example#No', message: 'not you' },
    ]);
    expect(calls).toEqual([]);
    await own.close();
  });
});

describe('the barrier before a response', () => {
  test.each(['Test.Echo', 'Test.Refuse', 'Test.None'])(
    'that fails answers %s with 500',
    async target => {
      const own = await startAwsJsonServer(service, {
        port: 0,
        beforeResponse: () => Promise.reject(new Error('the disk is full')),
        onError: error => errors.push(error),
      });
      const response = await post(target, '{}', {}, own);
      expect([response.status, await response.json()]).toEqual([
        500,
        { __type: 'com.amazon.coral.service#InternalFailure', message: 'the disk is full' },
      ]);
      expect(errors).toEqual([new Error('the disk is full')]);
      await own.close();
    },
  );
});

describe('a client of the Query protocol is told what to do, in its own form', () => {
  const form = 'application/x-www-form-urlencoded; charset=utf-8';

  test.each([
    [
      'a form',
      '',
      { method: 'POST', body: 'Action=ListQueues', headers: { 'content-type': form } },
    ],
    ['a URL', '?Action=ListQueues&Version=2012-11-05', {}],
  ])('%s', async (_, query, init) => {
    const response = await fetch(`${engine.endpoint}/${query}`, init);
    const text = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/xml']);
    // What is left of the request is not read.
    expect(response.headers.get('connection')).toBe('close');
    expect(response.headers.get('content-length')).toBe(String(text.length));
    const id = /<RequestId>([\da-f-]{36})</.exec(text)?.[1];
    expect(text).toBe(
      '<ErrorResponse><Error><Type>Sender</Type><Code>UnsupportedOperation</Code><Message>' +
        'The local engine speaks the AWS JSON protocol only: use an AWS SDK from ' +
        'November 2023 or later, such as boto3 1.28.82 or Java 2.21.19.</Message></Error>' +
        `<RequestId>${id}</RequestId></ErrorResponse>`,
    );
    expect(errors).toEqual([]);
  });

  test('but not one that names a target', async () => {
    const headers = { 'x-amz-target': 'Test.Echo', 'content-type': form };
    const init = { method: 'POST', body: '{}', headers };
    const response = await fetch(`${engine.endpoint}/?Action=ListQueues`, init);
    expect(await response.json()).toEqual({ given: {} });
  });
});

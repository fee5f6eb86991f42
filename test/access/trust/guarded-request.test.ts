import dns from 'node:dns';
import type { Resolver } from 'node:dns/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, getDefaultAutoSelectFamily, setDefaultAutoSelectFamily } from 'node:net';
import {
  fetchGuard,
  guardedRequest,
  resolveOutside,
} from '../../../lib/access/trust/guarded.fetch.ts';

const textOf = async (stream: IncomingMessage): Promise<string> =>
  Buffer.concat(await stream.toArray()).toString();

/** What a server on this machine hears of a request. */
const heard = async (more: { body?: string; host?: string } = {}) => {
  const server = createServer(async (request, response) => {
    const { method, headers } = request;
    response.end(JSON.stringify([method, headers['x-name'], await textOf(request)]));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { host = '127.0.0.1', body } = more;
  const guard = {
    ...fetchGuard(true),
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  };
  const asked = { guard, milliseconds: 5_000, headers: { 'x-name': 'value' } };
  try {
    const address = `http://${host}:${port}/hook`;
    return JSON.parse(
      await guardedRequest(address, body === undefined ? asked : { ...asked, body }, textOf),
    );
  } finally {
    server.close();
  }
};

test('a request has its headers, and is a POST where it has a body', async () => {
  expect(await heard()).toEqual(['GET', 'value', '']);
  expect(await heard({ body: 'text' })).toEqual(['POST', 'value', 'text']);
  expect(await heard({ body: '' })).toEqual(['POST', 'value', '']);
});

test.each([true, false])(
  'a name is connected to as it was resolved, where Node asks for all addresses: %s',
  async isAll => {
    const before = getDefaultAutoSelectFamily();
    setDefaultAutoSelectFamily(isAll);
    try {
      expect(await heard({ host: 'hook.example' })).toEqual(['GET', 'value', '']);
    } finally {
      setDefaultAutoSelectFamily(before);
    }
  },
);

describe('a name outside', () => {
  const failing = (code: string) => async () => {
    throw Object.assign(new Error(code), { code });
  };
  const four = async () => ['8.8.8.8'];
  const six = async () => ['2606:4700::1'];
  const resolved = (resolve4: () => Promise<string[]>, resolve6: () => Promise<string[]>) =>
    resolveOutside(() => ({ resolve4, resolve6 }) as unknown as Resolver)('name');
  const found = [
    { address: '8.8.8.8', family: 4 },
    { address: '2606:4700::1', family: 6 },
  ];

  test('has the addresses that are found, though the other kind fails', async () => {
    expect(await resolved(four, six)).toEqual(found);
    expect(await resolved(four, failing('ESERVFAIL'))).toEqual(found.slice(0, 1));
    expect(await resolved(failing('ESERVFAIL'), six)).toEqual(found.slice(1));
  });

  test('without records has no address; a name server that fails is an error', async () => {
    expect(await resolved(failing('ENODATA'), failing('ENOTFOUND'))).toEqual([]);
    await expect(resolved(failing('ENODATA'), failing('ESERVFAIL'))).rejects.toThrow('ESERVFAIL');
    await expect(resolved(failing('ETIMEOUT'), failing('ENODATA'))).rejects.toThrow('ETIMEOUT');
  });
});

test('a name of this machine has all its addresses, or the error of the system', async () => {
  const addresses = [{ address: '127.0.0.1', family: 4 }];
  const asked: unknown[] = [];
  const answers: [Error | null, typeof addresses][] = [
    [null, addresses],
    [new Error('ENOTFOUND'), []],
  ];
  type Done = (...answer: readonly unknown[]) => void;
  const lookup = (host: string, options: object, done: Done) => {
    asked.push([host, options]);
    done(...(answers.shift() ?? []));
  };
  jest.spyOn(dns, 'lookup').mockImplementation(lookup as unknown as typeof dns.lookup);
  const { resolve } = fetchGuard(true);
  expect(await resolve('localhost')).toEqual(addresses);
  await expect(resolve('localhost')).rejects.toThrow('ENOTFOUND');
  expect(asked).toEqual(Array(2).fill(['localhost', { all: true }]));
  jest.restoreAllMocks();
});

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { BlockList, isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { isJsonObject } from '../platform/json/value.ts';
import { errorMessage, loopback } from './engines/machine.ts';
import { StartRefusal } from './start-refusal.ts';

const loopbackAddresses = new BlockList();
loopbackAddresses.addSubnet('127.0.0.0', 8, 'ipv4');
loopbackAddresses.addAddress('::1', 'ipv6');

/**
 * Whether only this machine can reach an IP address. An IPv4 address may be written as IPv6
 * (`::ffff:127.0.0.1`).
 */
const isLoopbackAddress = (address: string): boolean =>
  isIP(address) !== 0 && loopbackAddresses.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');

export interface GatewayEndpoint {
  /** A name or an IP address of this machine, as in an address: IPv6 in brackets. */
  readonly host: string;
  /** The certificate and its key in PEM; absent: plain http. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export const loopbackEndpoint: GatewayEndpoint = { host: loopback };

interface EndpointOptions {
  readonly host: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, '');

const isLoopbackHost = (host: string): boolean =>
  host.toLowerCase() === 'localhost' || isLoopbackAddress(bare(host));

const allInterfaces = ['0.0.0.0', '[::]'];

const fileOf = (option: string, path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new StartRefusal(`The file of ${option} cannot be read (${errorMessage(cause)}).`, {
      cause,
    });
  }
};

const isFor = (certificate: X509Certificate, host: string): boolean =>
  (isIP(bare(host)) === 0 ? certificate.checkHost(host) : certificate.checkIP(bare(host))) !==
  undefined;

/** A certificate and its key, checked: a client would only say later that it trusts neither. */
const readPair = (
  host: string,
  certPath: string,
  keyPath: string,
): GatewayEndpoint['tls'] & object => {
  const pair = { cert: fileOf('--tls-cert', certPath), key: fileOf('--tls-key', keyPath) };
  try {
    createSecureContext(pair);
  } catch (cause) {
    throw new StartRefusal(
      `The certificate ${certPath} and the key ${keyPath} cannot be used ` +
        `(${errorMessage(cause)}): both must be PEM, and belong together.`,
      { cause },
    );
  }
  const certificate = new X509Certificate(pair.cert);
  if (isFor(certificate, host)) return pair;
  const names = certificate.subjectAltName ?? certificate.subject;
  throw new StartRefusal(
    `The certificate ${certPath} is for ${names}, not for ${host}: give a --host that it ` +
      `names, or make one for ${host}.`,
  );
};

/**
 * Reads where to listen.
 *
 * @throws StartRefusal if others could read what travels, or the certificate does not fit
 */
export const gatewayEndpoint = ({ host, tlsCert, tlsKey }: EndpointOptions): GatewayEndpoint => {
  if (allInterfaces.includes(host))
    throw new StartRefusal(
      `--host ${host} is not an address that others can use: give the name or the address by ` +
        'which they reach this machine.',
    );
  if (tlsCert !== undefined && tlsKey !== undefined)
    return { host, tls: readPair(host, tlsCert, tlsKey) };
  if (tlsCert !== undefined || tlsKey !== undefined)
    throw new StartRefusal('A certificate needs its key: give both --tls-cert and --tls-key.');
  if (isLoopbackHost(host)) return { host };
  throw new StartRefusal(
    `Others can reach ${host}, and secrets would travel there in the clear: give a ` +
      `certificate for ${host} with --tls-cert and --tls-key, or leave out --host and forward ` +
      'the port with ssh -L.',
  );
};

/** A server that speaks as the endpoint demands, and leaves the check of Host to its listener. */
export const serverAt = ({ tls }: GatewayEndpoint, listener: RequestListener): Server => {
  if (tls) return createTlsServer({ ...tls, requireHostHeader: false }, listener);
  return createServer({ requireHostHeader: false }, listener);
};

const probeMilliseconds = 1_000;

const isSombus = async ({ host, tls }: GatewayEndpoint, port: number): Promise<boolean> => {
  const url = `${tls ? 'https' : 'http'}://${host}:${port}/v1/health`;
  const response = await fetch(url, { signal: AbortSignal.timeout(probeMilliseconds) }).catch(
    () => undefined,
  );
  const body: unknown = await response?.json().catch(() => undefined);
  return (
    isJsonObject(body) &&
    (typeof body['som_version'] === 'string' || body['code'] === 'route.not_found')
  );
};

const listenRefusal = async (
  endpoint: GatewayEndpoint,
  { port, option }: ListenAt,
  code: string | undefined,
): Promise<StartRefusal> => {
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new StartRefusal(
      `${endpoint.host} is not an address of this machine: give another --host.`,
    );
  const other = `choose another port with ${option} (0: any free port).`;
  if (code !== 'EADDRINUSE') return new StartRefusal(`Port ${port} cannot be used: ${other}`);
  if (await isSombus(endpoint, port))
    return new StartRefusal(`Another som-bus is running on port ${port}: stop it, or ${other}`);
  return new StartRefusal(
    `Port ${port} is taken by another program: stop that program, or ${other}`,
  );
};

interface ListenAt {
  readonly port: number;
  readonly option: string;
}

/**
 * Listens at an endpoint.
 *
 * @returns the origin, without a path
 * @throws StartRefusal when the address is not this machine's, or the port is taken or not allowed
 */
export const listen = (
  server: Server,
  at: ListenAt,
  endpoint: GatewayEndpoint = loopbackEndpoint,
): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      void listenRefusal(endpoint, at, code).then(reject);
    });
    server.listen(at.port, bare(endpoint.host), () => {
      const address = server.address();
      const taken = typeof address === 'object' && address ? address.port : at.port;
      resolve(`${endpoint.tls ? 'https' : 'http'}://${endpoint.host}:${taken}`);
    });
  });

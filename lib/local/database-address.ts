import { BlockList, isIP } from 'node:net';
import { StartRefusal } from './start-refusal.ts';

const loopbackAddresses = new BlockList();
loopbackAddresses.addSubnet('127.0.0.0', 8, 'ipv4');
loopbackAddresses.addAddress('::1', 'ipv6');

/** Whether only this machine can reach an IP address. An IPv4 address may be written as IPv6 (`::ffff:127.0.0.1`). */
export const isLoopbackAddress = (address: string): boolean =>
  isIP(address) !== 0 && loopbackAddresses.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** What is known about the network around a database's address. */
interface DatabaseReach {
  /** The IP addresses that its host name stands for. */
  readonly resolved: readonly string[];
  /** The other IP addresses of this machine at which its port answers too. */
  readonly exposed: readonly string[];
}

/**
 * Why a database may not be used: others can reach it, and neither DynamoDB Local nor the built-in engines check who calls. Undefined
 * if only this machine can.
 */
export const remoteDatabaseFault = (
  endpoint: string,
  { resolved, exposed }: DatabaseReach,
): string | undefined => {
  const remote = resolved.find(address => !isLoopbackAddress(address));
  if (remote !== undefined)
    return `The database at ${endpoint} is not on this machine (its address is ${remote})`;
  const [open] = exposed;
  return open === undefined
    ? undefined
    : `The database at ${endpoint} also answers at ${open}, where other machines can reach it`;
};

/** How to find out who can reach a database. */
export interface Network {
  /** The IP addresses of a host name; rejects if it has none. */
  lookup(host: string): Promise<readonly string[]>;
  /** All IP addresses of this machine. */
  readonly own: readonly string[];
  /** Whether something accepts connections there. */
  answers(address: string, port: number): Promise<boolean>;
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Who can reach the database at an address. */
const databaseReach = async (endpoint: string, network: Network): Promise<DatabaseReach> => {
  const { hostname, port, protocol } = new URL(endpoint);
  const host = hostname.replace(/^\[|\]$/g, '');
  const resolved = isIP(host) === 0 ? await network.lookup(host) : [host];
  const number = port === '' ? (defaultPorts[protocol] ?? 0) : Number(port);
  const others = network.own.filter(address => !isLoopbackAddress(address));
  const open = await Promise.all(others.map(address => network.answers(address, number)));
  return { resolved, exposed: others.filter((_, index) => open[index]) };
};

/**
 * Checks that only this machine can reach a database of one's own.
 *
 * @param endpoint a valid http or https address
 * @throws StartRefusal if others can reach it too, or its host name stands for no address
 */
export const checkDatabaseAddress = async (endpoint: string, network: Network): Promise<void> => {
  const reach = await databaseReach(endpoint, network).catch((cause: unknown) => {
    throw new StartRefusal(
      `The host name of ${endpoint} has no address: correct SOMBUS_DYNAMODB_ENDPOINT, or unset it to use the built-in database.`,
      { cause },
    );
  });
  const fault = remoteDatabaseFault(endpoint, reach);
  if (fault !== undefined)
    throw new StartRefusal(
      `${fault}: whoever reaches it can read and change everything on the bus. Let it listen on 127.0.0.1 only, or start with --allow-remote-database.`,
    );
};

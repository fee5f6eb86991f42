import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { checkDatabaseAddress, type Network } from './database-address.ts';
import { StartRefusal } from './start-refusal.ts';

const databaseVariable = 'SOMBUS_DYNAMODB_ENDPOINT';

/** The database option of a process's environment: the address of a running engine, if one is named. */
export const databaseOption = (
  env: Readonly<Record<string, string | undefined>>,
): { readonly database?: string } => {
  const database = env[databaseVariable];
  return database ? { database } : {};
};

const answerMilliseconds = 5_000;

/** Any answer shows that a server is there. */
const answers = async (endpoint: string): Promise<boolean> => {
  try {
    await (await fetch(endpoint, { signal: AbortSignal.timeout(answerMilliseconds) })).body?.cancel();
    return true;
  } catch {
    return false;
  }
};

const connectMilliseconds = 1_000;

const accepts = (address: string, port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect({ host: address, port, timeout: connectMilliseconds });
    const answer = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => answer(true));
    socket.once('timeout', () => answer(false)).once('error', () => answer(false));
  });

/** The network of this machine. Link-local IPv6 addresses need a zone, and are left out. */
const systemNetwork = (): Network => ({
  lookup: async host => (await lookup(host, { all: true })).map(({ address }) => address),
  own: Object.values(networkInterfaces())
    .flatMap(addresses => addresses ?? [])
    .filter(({ scopeid }) => !scopeid)
    .map(({ address }) => address),
  answers: accepts,
});

/**
 * Checks that the database to use instead of the built-in one answers, and that only this machine can reach it.
 *
 * @param allowRemote whether others may reach it
 * @throws StartRefusal when not
 */
export const checkDatabase = async (elsewhere: string, allowRemote: boolean): Promise<void> => {
  if (!URL.canParse(elsewhere) || !/^https?:$/.test(new URL(elsewhere).protocol))
    throw new StartRefusal(
      `${databaseVariable} is ${JSON.stringify(elsewhere)}, which is not an address such as http://127.0.0.1:8000: correct it, or unset it to use the built-in one.`,
    );
  if (!allowRemote) await checkDatabaseAddress(elsewhere, systemNetwork());
  if (!(await answers(elsewhere)))
    throw new StartRefusal(
      `Nothing answers at ${elsewhere} (from ${databaseVariable}): start that database, or unset the variable to use the built-in one.`,
    );
};

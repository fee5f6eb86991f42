import { checkDynoxide, type Engine, startDynoxide } from './dynoxide.ts';
import { StartRefusal } from './start-refusal.ts';

const variable = 'SOMBUS_DYNAMODB_ENDPOINT';
const answerMilliseconds = 5_000;

/** The endpoint of an engine elsewhere, when there is one. */
const elsewhere = (): string | undefined => process.env[variable] || undefined;

/** Whatever it answers, a server is there. */
const answers = async (endpoint: string): Promise<boolean> => {
  try {
    await (await fetch(endpoint, { signal: AbortSignal.timeout(answerMilliseconds) })).body?.cancel();
    return true;
  } catch {
    return false;
  }
};

/**
 * Checks that a database engine can be had, and answers whether it is one elsewhere.
 *
 * @throws StartRefusal when it cannot
 */
export const checkDatabase = async (): Promise<boolean> => {
  const endpoint = elsewhere();
  if (endpoint === undefined) {
    checkDynoxide();
    return false;
  }
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw new StartRefusal(
      `${variable} is ${JSON.stringify(endpoint)}, which is no address such as http://127.0.0.1:8000: correct it, or unset it to use the built-in engine.`,
    );
  if (!(await answers(endpoint)))
    throw new StartRefusal(
      `Nothing answers at ${endpoint}, which ${variable} names: start that database, or unset the variable to use the built-in engine.`,
    );
  return true;
};

/** An engine elsewhere is used as it is and left running. */
export const startDatabase = (dbPath: string, preferredPort: number | undefined): Promise<Engine> => {
  const endpoint = elsewhere();
  if (endpoint === undefined) return startDynoxide(dbPath, preferredPort);
  const failed = new Promise<StartRefusal>(() => undefined);
  return Promise.resolve({ endpoint, failed, close: async () => undefined });
};

import { checkDynoxide, type Engine } from './dynoxide.ts';
import { StartRefusal } from './start-refusal.ts';

const databaseVariable = 'SOMBUS_DYNAMODB_ENDPOINT';

/** The option that a process's environment asks for: the address of an engine that runs already, if it names one. */
export const databaseOption = (
  env: Readonly<Record<string, string | undefined>>,
): { readonly database?: string } => {
  const database = env[databaseVariable];
  return database ? { database } : {};
};

const answerMilliseconds = 5_000;

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
 * Checks that a database engine can be had.
 *
 * @param elsewhere the address of an engine that runs already; undefined: the built-in one
 * @throws StartRefusal when it cannot
 */
export const checkDatabase = async (elsewhere: string | undefined): Promise<void> => {
  if (elsewhere === undefined) {
    checkDynoxide();
    return;
  }
  if (!URL.canParse(elsewhere) || !/^https?:$/.test(new URL(elsewhere).protocol))
    throw new StartRefusal(
      `${databaseVariable} is ${JSON.stringify(elsewhere)}, which is no address such as http://127.0.0.1:8000: correct it, or unset it to use the built-in engine.`,
    );
  if (!(await answers(elsewhere)))
    throw new StartRefusal(
      `Nothing answers at ${elsewhere}, which ${databaseVariable} names: start that database, or unset the variable to use the built-in engine.`,
    );
};

/** An engine that answers already, and is left running. */
export const databaseElsewhere = (endpoint: string): Engine => ({
  endpoint,
  failed: new Promise(() => undefined),
  close: async () => undefined,
});

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

/**
 * Checks that the database to use instead of the built-in one answers.
 *
 * @throws StartRefusal when it does not
 */
export const checkDatabase = async (elsewhere: string): Promise<void> => {
  if (!URL.canParse(elsewhere) || !/^https?:$/.test(new URL(elsewhere).protocol))
    throw new StartRefusal(
      `${databaseVariable} is ${JSON.stringify(elsewhere)}, which is not an address such as http://127.0.0.1:8000: correct it, or unset it to use the built-in one.`,
    );
  if (!(await answers(elsewhere)))
    throw new StartRefusal(
      `Nothing answers at ${elsewhere} (from ${databaseVariable}): start that database, or unset the variable to use the built-in one.`,
    );
};

import { CommanderError } from 'commander';
import { type Declined, isDeclined } from '../../access/registry/declined.ts';
import { errorMessage } from '../../local/engines/machine.ts';
import { StartRefusal } from '../../local/start-refusal.ts';
import type { Terminal } from './terminal.ts';

export const exitCodes = {
  done: 0,
  /** The service understood the command and declined it, or a check of the doctor failed. */
  refused: 1,
  /** The command line is wrong, or the command cannot run here. */
  usage: 2,
} as const;

export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
  readonly details: readonly string[];

  constructor(message: string, details: readonly string[] = []) {
    super(message);
    this.details = details;
  }
}

export class ChecksFailed extends Error {
  override readonly name = 'ChecksFailed';
}

/** The command that `sombus exec` ran failed, and has said why. */
export class ChildFailed extends Error {
  override readonly name = 'ChildFailed';
  readonly code: number;

  constructor(code: number) {
    super(`The command ended with code ${code}.`);
    this.code = code;
  }
}

/** @throws CommandRefused with the words of an error that the command expects; others as they are */
export const rethrow = (error: unknown, isExpected: boolean): never => {
  if (isExpected) throw new CommandRefused(errorMessage(error));
  throw error;
};

/** @throws CommandRefused with the reason when the registry declined */
export const accepted = <Result>(result: Result | Declined): Result => {
  if (!isDeclined(result)) return result;
  const { reason, canForce } = result;
  throw new CommandRefused(canForce ? `${reason} To do it anyway, use --force.` : reason);
};

/** @throws CommandRefused when there is none */
export const found = <Thing>(thing: Thing | undefined, noun: string, id: string): Thing => {
  if (thing === undefined) throw new CommandRefused(`There is no ${noun} ${id}.`);
  return thing;
};

/**
 * Before what cannot be undone: the command has to name what it acts on twice.
 *
 * @throws CommandRefused with what the command would do, and what else that would mean
 */
export const checkConfirmed = (
  { confirm }: { confirm?: string | undefined },
  id: string,
  { would, means }: { would: string; means: string },
): void => {
  if (confirm === id) return;
  const how = `If you want that, repeat the command with --confirm ${id}.`;
  throw new CommandRefused(would, [means, how]);
};

/** The AWS SDK's errors in a shell without credentials or region. */
const isAwsSetup = ({ name, message }: Error): boolean =>
  name === 'CredentialsProviderError' || message === 'Region is missing';

export const failureMessage = (error: unknown): string => {
  if (error instanceof Error && isAwsSetup(error))
    return (
      `${error.message.replace(/\.$/, '')}. Set AWS_REGION, and AWS_PROFILE or the other AWS_ ` +
      'variables.'
    );
  return errorMessage(error);
};

export const reportFailure = (error: unknown, terminal: Terminal): number => {
  // Commander has printed its own errors already.
  if (error instanceof CommanderError)
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof ChildFailed) return error.code;
  const message = failureMessage(error);
  if (error instanceof CommandRefused) {
    for (const line of [`refused: ${message}`, ...error.details.map(detail => `  ${detail}`)])
      terminal.error(line);
    return exitCodes.refused;
  }
  const isChecks = error instanceof ChecksFailed;
  const isToldWhole = isChecks || error instanceof StartRefusal;
  terminal.error(isToldWhole ? message : `failed: ${message}`);
  return isChecks ? exitCodes.refused : exitCodes.usage;
};

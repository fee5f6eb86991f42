import { CommanderError } from 'commander';
import { errorMessage } from '../engines/files.ts';
import { StartRefusal } from '../local/start-refusal.ts';
import { type Declined, isDeclined } from '../registry/operator.ts';
import type { ReplayCommandPorts } from '../replay/start-replay.ts';
import type { OperatorPorts } from '../wiring/operator.ts';
import type { Terminal } from './terminal.ts';

/** What a command gets from outside. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** @param data folder of the local service; ignored when a deployed environment was chosen */
  registry(data: string): OperatorPorts;
  /** @param data as above */
  replays(data: string): ReplayCommandPorts;
}

/** The exit codes of every command. */
export const exitCodes = {
  done: 0,
  /** The service understood the command and declined it, or a check of the doctor failed. */
  refused: 1,
  /** The command line is wrong, or the command cannot run here. */
  usage: 2,
} as const;

/** A command that the service declined: the message is for the operator. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** Some of a command's checks failed, and it has printed them. */
export class ChecksFailed extends Error {
  override readonly name = 'ChecksFailed';
}

/** @throws Refused with the reason when the registry declined */
export const accepted = <Result>(result: Result | Declined): Result => {
  if (isDeclined(result)) throw new Refused(result.reason);
  return result;
};

/** The AWS SDK's faults in a shell without credentials or without a region. */
const isAwsSetup = ({ name, message }: Error): boolean =>
  name === 'CredentialsProviderError' || message === 'Region is missing';

/** What a failed command prints: the fault in one sentence, and what to do about it where that is known. */
export const failureMessage = (fault: unknown): string =>
  fault instanceof Error && isAwsSetup(fault)
    ? `${fault.message.replace(/\.$/, '')}. Set AWS_REGION, and AWS_PROFILE or the other AWS_ variables.`
    : errorMessage(fault);

/** Prints what went wrong, in one sentence, and gives the exit code. */
export const reportFailure = (fault: unknown, terminal: Pick<Terminal, 'error'>): number => {
  // Commander has printed its own faults already.
  if (fault instanceof CommanderError) return fault.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  const message = failureMessage(fault);
  if (fault instanceof Refused) {
    terminal.error(`refused: ${message}`);
    return exitCodes.refused;
  }
  if (fault instanceof ChecksFailed) {
    terminal.error(message);
    return exitCodes.refused;
  }
  terminal.error(fault instanceof StartRefusal ? message : `failed: ${message}`);
  return exitCodes.usage;
};

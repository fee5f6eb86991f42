import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { environments } from '../contract/environments.ts';
import { errorMessage } from '../engines/files.ts';
import type { ReplayCommandPorts } from '../replay/start-replay.ts';
import type { OperatorPorts } from '../wiring/operator.ts';
import { dataOption } from './options.ts';

/** What a command's exit code says. */
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

/** Some of the checks that a command made have failed: it has printed them. */
export class ChecksFailed extends Error {
  override readonly name = 'ChecksFailed';
}

/** Where a command writes. */
export interface Terminal {
  /** Standard output: results. */
  out(line: string): void;
  /** Standard output, for who must know: resolves once the line is written, with false when its reader is gone. */
  deliver(line: string): Promise<boolean>;
  /** Standard error: what went wrong, in one sentence. */
  error(line: string): void;
}

/**
 * Writes lines until the reader is gone (`sombus dev | head -3`): what comes after that is dropped, and nothing fails.
 * Resolves with whether the line was written.
 */
const lineWriter = (stream: NodeJS.WritableStream): ((line: string) => Promise<boolean>) => {
  let readable = true;
  stream.on('error', () => {
    readable = false;
  });
  return line =>
    new Promise(resolve => {
      if (readable) stream.write(`${line}\n`, fault => resolve(!fault));
      else resolve(false);
    });
};

const terminalOn = (out: NodeJS.WritableStream, error: NodeJS.WritableStream): Terminal => {
  const deliver = lineWriter(out);
  const complain = lineWriter(error);
  return {
    deliver,
    out: line => void deliver(line),
    error: line => void complain(line),
  };
};

export const terminal: Terminal = terminalOn(process.stdout, process.stderr);

/** What a command gets from outside. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** The registry of the service that runs on a data folder. */
  registry(data: string): OperatorPorts;
  /** What replay commands need of it. */
  replays(data: string): ReplayCommandPorts;
}

/** Options that every registry command has. */
export interface CommonOptions {
  readonly data: string;
  readonly json: boolean;
}

/** The options of every registry command. */
export const common = (command: Command): Command =>
  dataOption(command)
    .addOption(
      new Option(
        '--environment <name>',
        'a deployed environment instead, with the AWS credentials and region of the shell',
      ).choices(Object.keys(environments)),
    )
    .option('--json', 'print JSON', false);

const awsSetup = 'Set AWS_PROFILE or the AWS_ variables, and AWS_REGION.';

/** The AWS SDK's faults where this shell has no credentials or no region. */
const isAwsSetup = ({ name, message }: Error): boolean =>
  name === 'CredentialsProviderError' || message === 'Region is missing';

/** What a failed command says: one sentence of the fault, and what to do where that is known. */
export const wordsOf = (fault: unknown): string =>
  fault instanceof Error && isAwsSetup(fault)
    ? `${fault.message.replace(/\.$/, '')}. ${awsSetup}`
    : errorMessage(fault);

const standardInput = 0;

/**
 * The bytes of a file, or of standard input where it is `-`.
 *
 * @throws Error when it cannot be read
 */
export const inputBytes = (file: string): Uint8Array => {
  try {
    return readFileSync(file === '-' ? standardInput : file);
  } catch (cause) {
    throw new Error(`The file ${file} cannot be read.`, { cause });
  }
};

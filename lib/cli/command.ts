import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import type { NotRecorded } from '../contract/work-responses.ts';
import { errorMessage } from '../engines/machine.ts';
import { StartRefusal } from '../local/start-refusal.ts';
import type { Connection } from '../registry/connection.ts';
import { type Noted, noteChange, noteOn } from '../registry/noting.ts';
import { type Declined, isDeclined } from '../registry/operator.ts';
import type { OperatorPorts } from '../wiring/operator.ts';

/** Where a command writes, line by line. Texts of others are shown as they are, but for what controls something (see `visible`). */
export interface Terminal {
  out(line: string): void;
  /** Also standard output: resolves once the line is written, with false if the reader is gone. */
  deliver(line: string): Promise<boolean>;
  error(line: string): void;
}

/**
 * What a terminal would act on instead of showing it: C0 but tab, DEL, C1, and the marks that reorder text or break lines (Unicode
 * Standard Annex 9, "Directional Formatting Characters"). What a CI system would act on: `::…` at the start of a line and `##[…]` (GitHub,
 * "Workflow commands"), `##vso[…]`, `##teamcity[…]`.
 */
const controls =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the text must not contain.
  /[\0-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|(?<=^\s*):(?=:)|#(?=#\w*\[)/g;

/** A line that is safe to show, whoever wrote it: what controls something appears as `\uXXXX`, as JSON would escape it. */
export const visible = (text: string): string =>
  text.replace(controls, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Writes lines until the reader is gone (`sombus dev | head -3`): later lines are dropped, and nothing fails.
 * Resolves with whether the line was written.
 */
const lineWriter = (stream: NodeJS.WritableStream): ((line: string) => Promise<boolean>) => {
  let readable = true;
  stream.on('error', () => {
    readable = false;
  });
  return line =>
    new Promise(resolve => {
      if (readable) stream.write(`${visible(line)}\n`, error => resolve(!error));
      else resolve(false);
    });
};

export const processTerminal = (): Terminal => {
  const deliver = lineWriter(process.stdout);
  const complain = lineWriter(process.stderr);
  return {
    deliver,
    out: line => void deliver(line),
    error: line => void complain(line),
  };
};

const standardInput = 0;

/** The bytes of a file, or of standard input for `-`. @throws Error when it cannot be read */
export const inputBytes = (file: string): Uint8Array => {
  try {
    return readFileSync(file === '-' ? standardInput : file);
  } catch (cause) {
    throw new Error(`The file ${file} cannot be read.`, { cause });
  }
};

export interface CommandContext {
  readonly terminal: Terminal;
  /** @param data folder of the local service; ignored when a deployed environment was chosen */
  registry(data: string): OperatorPorts;
}

export const exitCodes = {
  done: 0,
  /** The service understood the command and declined it, or a check of the doctor failed. */
  refused: 1,
  /** The command line is wrong, or the command cannot run here. */
  usage: 2,
} as const;

export class Refused extends Error {
  override readonly name = 'Refused';
  readonly details: readonly string[];

  constructor(message: string, details: readonly string[] = []) {
    super(message);
    this.details = details;
  }
}

export class ChecksFailed extends Error {
  override readonly name = 'ChecksFailed';
}

/** @throws Refused with the reason when the registry declined */
export const accepted = <Result>(result: Result | Declined): Result => {
  if (isDeclined(result))
    throw new Refused(result.canForce ? `${result.reason} To do it anyway, use --force.` : result.reason);
  return result;
};

/** The AWS SDK's errors in a shell without credentials or region. */
const isAwsSetup = ({ name, message }: Error): boolean =>
  name === 'CredentialsProviderError' || message === 'Region is missing';

export const failureMessage = (error: unknown): string =>
  error instanceof Error && isAwsSetup(error)
    ? `${error.message.replace(/\.$/, '')}. Set AWS_REGION, and AWS_PROFILE or the other AWS_ variables.`
    : errorMessage(error);

export const reportFailure = (error: unknown, terminal: Pick<Terminal, 'error'>): number => {
  // Commander has printed its own errors already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  const message = failureMessage(error);
  if (error instanceof Refused) {
    terminal.error(`refused: ${message}`);
    for (const line of error.details) terminal.error(`  ${line}`);
    return exitCodes.refused;
  }
  if (error instanceof ChecksFailed) {
    terminal.error(message);
    return exitCodes.refused;
  }
  terminal.error(error instanceof StartRefusal ? message : `failed: ${message}`);
  return exitCodes.usage;
};

/** The changes of the operator's command line, noted as the portal notes those of people. */
export interface Notes {
  change(noted: Noted): Promise<void>;
  inWorkspace(workspace: string, what: string, facts: Noted['facts']): Promise<void>;
  on(connection: Connection, what: string, facts?: Noted['facts']): Promise<void>;
  onId(connection: string, what: string, facts?: Noted['facts']): Promise<void>;
}

type NotesPorts = Pick<OperatorPorts, 'changes' | 'clock' | 'connections' | 'directory'>;

export const newNotes = (terminal: Pick<Terminal, 'error'>, ports: NotesPorts): Notes => {
  const hostOf = async (workspace: string): Promise<readonly string[]> => {
    const found = await ports.directory.find('workspace', workspace);
    return found?.kind === 'workspace' ? [found.organisation] : [];
  };
  const warn = ({ not_recorded }: NotRecorded) => {
    if (not_recorded) terminal.error('note: the change was made, but could not be recorded.');
  };
  const change = async (noted: Noted) => warn(await noteChange(ports, undefined, noted));
  const on: Notes['on'] = async ({ id, workspace, organisation }, what, facts = {}) => {
    const of = { connection: id, organisations: [organisation, ...(await hostOf(workspace))] };
    warn(await noteOn(ports, { person: undefined, subject: { w: workspace } }, { what, of, facts }));
  };
  return {
    change,
    on,
    async inWorkspace(workspace, what, facts) {
      for (const organisation of await hostOf(workspace))
        await change({ organisation, what, facts: { workspace, ...facts } });
    },
    async onId(id, what, facts) {
      const found = await ports.connections.find(id);
      if (found) await on(found.connection, what, facts);
    },
  };
};

import type { RegistryPorts } from '../app/registry/registry-ports.ts';
import type { Terminal } from './terminal.ts';

/** What a command gets from outside. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** The registry of the service that runs on a data folder. */
  registry(data: string): RegistryPorts;
}

/** Options that every registry command has. */
export interface CommonOptions {
  readonly data: string;
  readonly json: boolean;
}

import type { RegistryPorts } from '../app/registry/registry-ports.ts';
import type { ReplayCommandPorts } from '../app/replay/start-replay.ts';
import type { Terminal } from './terminal.ts';

/** What a command gets from outside. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** The registry of the service that runs on a data folder. */
  registry(data: string): RegistryPorts;
  /** What replay commands need of it. */
  replays(data: string): ReplayCommandPorts;
}

/** Options that every registry command has. */
export interface CommonOptions {
  readonly data: string;
  readonly json: boolean;
}

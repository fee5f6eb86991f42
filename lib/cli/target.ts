import type { EnvironmentName } from '../contract/environments.ts';
import { type LocalEnv, localEnv } from '../local/env.ts';
import { runningService } from '../local/service-note.ts';
import { type OperatorEnv, registryPorts, replayPorts } from '../wiring/operator.ts';
import type { CommandContext } from './command.ts';
import { deployedEnv } from './deployed-env.ts';

/** What the operator's commands work on: a deployed environment where one was chosen, else a running local service. */
export interface Target extends Pick<CommandContext, 'registry' | 'replays'> {
  /** Reads a command's options; a command without `--data` needs no target. */
  choose(options: { readonly data?: string; readonly environment?: EnvironmentName }): Promise<void>;
}

/** @throws StartRefusal when no service runs on the data folder */
const runningEnv = (data: string): LocalEnv => {
  const { origin, endpoints } = runningService(data);
  return localEnv(origin, endpoints);
};

export const newTarget = (): Target => {
  let deployed: OperatorEnv | undefined;
  return {
    async choose({ data, environment }) {
      if (data !== undefined && environment) deployed = await deployedEnv(environment, process.env);
    },
    registry: data => registryPorts(deployed ?? runningEnv(data)),
    replays: data => replayPorts(deployed ?? runningEnv(data)),
  };
};

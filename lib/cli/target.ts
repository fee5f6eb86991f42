import type { RegistryPorts } from '../app/registry/registry-ports.ts';
import type { ReplayCommandPorts } from '../app/replay/start-replay.ts';
import type { EnvironmentName } from '../contract/environments.ts';
import { type OperatorEnv, registryPorts } from '../operator/registry-ports.ts';
import { replayPorts } from '../operator/replay-ports.ts';
import { deployedEnv } from './deployed-env.ts';
import { runningEnv } from './running-service.ts';

/** What the operator's commands work on: a deployed environment where one was chosen, else a running local service. */
export interface Target {
  /** Reads the options of a command; those without a data folder are no commands of this kind. */
  choose(options: { readonly data?: string; readonly environment?: EnvironmentName }): Promise<void>;
  /** @param data folder of the local service */
  registry(data: string): RegistryPorts;
  /** @param data folder of the local service */
  replays(data: string): ReplayCommandPorts;
}

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

import type { RegistryPorts } from '../app/registry/registry-ports.ts';
import type { EnvironmentName } from '../contract/environments.ts';
import { registryPorts } from '../local/registry-ports.ts';
import { deployedEnv } from './deployed-env.ts';
import { runningService } from './running-service.ts';

/** What registry commands work on: a deployed environment where one was chosen, else a running local service. */
export interface Target {
  /** Reads the options of a command; those without a data folder are no registry commands. */
  choose(options: { readonly data?: string; readonly environment?: EnvironmentName }): Promise<void>;
  /** @param data folder of the local service */
  registry(data: string): RegistryPorts;
}

export const newTarget = (): Target => {
  let deployed: RegistryPorts | undefined;
  return {
    async choose({ data, environment }) {
      if (data !== undefined && environment)
        deployed = registryPorts(await deployedEnv(environment, process.env));
    },
    registry: data => deployed ?? runningService(data),
  };
};

import { systemClock } from '../../../lib/local/engines/machine.ts';
import { localEnv } from '../../../lib/local/env.ts';
import { operatorKeyIn } from '../../../lib/local/roles.ts';
import type { LocalService } from '../../../lib/local/start.ts';
import { movableClock } from './movable-clock.ts';
import { buildScene, type Scene, type SceneSize } from './scene.ts';

/** The scene in the engines of a service that runs in this process. */
export const sceneInService = async (
  { ready, data }: Pick<LocalService, 'ready' | 'data'>,
  size?: SceneSize,
): Promise<Scene> => {
  const env = localEnv(new URL(ready.base_url).origin, ready.endpoints, operatorKeyIn(data));
  const { clock, setTime } = movableClock();
  const machine = systemClock.now;
  Object.assign(systemClock, { now: clock.now });
  try {
    return await buildScene({ env, now: Date.now(), setTime }, size);
  } finally {
    Object.assign(systemClock, { now: machine });
  }
};

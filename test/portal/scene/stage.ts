import type { EngineClock } from '../../../lib/local/engines/machine.ts';
import { systemClock } from '../../../lib/local/engines/machine.ts';
import { type PortalService, startPortal } from '../portal-service.ts';
import { buildScene, type Scene, type SceneSize } from './scene.ts';

/** The machine's clock, until somebody moves it. */
export const movableClock = () => {
  let shift = 0;
  const clock: EngineClock = { ...systemClock, now: () => systemClock.now() + shift };
  const setTime = (time: number): void => {
    shift = time - systemClock.now();
  };
  return { clock, setTime };
};

export interface PlayedScene extends Scene {
  readonly portal: PortalService;
}

/** The scene behind the portal's functions, in this process. */
export const startScene = async (size: SceneSize): Promise<PlayedScene> => {
  const { clock, setTime } = movableClock();
  const portal = await startPortal({ clock });
  const scene = await buildScene({ env: portal.env, now: Date.now(), setTime }, size);
  return { ...scene, portal };
};

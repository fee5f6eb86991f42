import { type PortalService, startPortal } from '../portal-service.ts';
import { movableClock } from './movable-clock.ts';
import { buildScene, type Scene, type SceneSize } from './scene.ts';

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

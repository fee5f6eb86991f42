import { type EngineClock, systemClock } from '../../lib/engines/machine.ts';
import { openStore } from '../../lib/engines/store/store.ts';
import { type Engines, startEngines } from '../../lib/local/engines.ts';

/** The local engines in memory, in this process and on loopback. They answer everybody. */
export const startLocalAws = async (clock: EngineClock = systemClock): Promise<Engines> => {
  const store = openStore();
  const engines = await startEngines(store, { clock, before: {}, hosts: [], warn: () => undefined });
  return {
    ...engines,
    async close() {
      await engines.close();
      await store.close();
    },
  };
};

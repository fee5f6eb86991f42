import { type EngineClock, systemClock } from '../../lib/engines/machine.ts';
import { openStore } from '../../lib/engines/store.ts';
import { type Engines, startEngines } from '../../lib/local/engines.ts';
import { sendsInProcess } from '../../lib/local/in-process.ts';

/** Running engines, and how SDK clients of this process reach them without the wire. */
interface LocalAws extends Engines {
  readonly inProcess: ReturnType<typeof sendsInProcess>;
}

/** The local engines in memory, in this process and on loopback. They answer everybody. */
export const startLocalAws = async (clock: EngineClock = systemClock): Promise<LocalAws> => {
  const store = openStore();
  const engines = await startEngines(store, { clock, before: {}, hosts: [], warn: () => undefined });
  return {
    ...engines,
    inProcess: sendsInProcess(engines),
    async close() {
      await engines.close();
      await store.close();
    },
  };
};

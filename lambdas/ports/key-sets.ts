import { fetchGuard, guardedFetch } from '../../lib/adapters/web/guarded-fetch.ts';
import { webKeySets } from '../../lib/adapters/web/key-sets.ts';
import { envVars } from '../../lib/contract/env-vars.ts';
import type { KeySets } from '../../lib/ports/key-sets.ts';
import { type Env, oncePerEnv } from '../env.ts';
import { clock } from './clock.ts';

/** What a provider wishes counts where the service itself is a local one. */
export const keySets: (env: Env) => KeySets = oncePerEnv(env => {
  const local = env[envVars.localService] === 'true';
  return webKeySets(
    (address, insecureLocal) => guardedFetch(address, fetchGuard(insecureLocal && local)),
    clock(),
  );
});

import { Logger } from '@aws-lambda-powertools/logger';
import { envVars } from '../lib/contract/env-vars.ts';
import type { RouteId } from '../lib/contract/routes.ts';
import type { RequestLog } from '../lib/http/respond.ts';
import type { Env } from './env.ts';

/** One structured line per request on standard output: identifiers, never a body, a token or a secret. */
export const requestLog = (route: RouteId, env: Env): RequestLog => {
  const environment = env[envVars.environment] ?? 'unknown';
  const logger = new Logger({ serviceName: 'som-bus', persistentKeys: { route, environment } });
  return {
    answered: facts => logger.info('answered', { ...facts }),
    failed: (fault, facts) =>
      logger.error('failed', { ...facts, error: fault instanceof Error ? fault : new Error(String(fault)) }),
  };
};

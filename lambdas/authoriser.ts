import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { authenticate } from '../lib/app/authenticate.ts';
import { envVars } from '../lib/contract/env-vars.ts';
import { authoriser } from '../lib/http/authoriser.ts';
import { type Env, required } from './env.ts';
import { clock } from './ports/clock.ts';
import { keySets } from './ports/key-sets.ts';
import { registry } from './ports/registry.ts';
import { signer } from './ports/signer.ts';

/** The authoriser's function for one environment: ports and clients are made on the first request and kept. */
export const handlerFor = (env: Env) => {
  let authorise: ReturnType<typeof authoriser> | undefined;
  return (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    authorise ??= authoriser(
      authenticate(
        { clock: clock(), registry: registry(env), signer: signer(env), keySets: keySets(env) },
        required(env, envVars.origin),
      ),
    );
    return authorise(event);
  };
};

export const handler = handlerFor(process.env);

import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { envVars } from '../lib/contract/environments.ts';
import { authenticate } from '../lib/tokens/authenticate.ts';
import { authoriser } from '../lib/tokens/authoriser.http.ts';
import { clock, type Env, required } from '../lib/wiring/env.ts';
import { registry } from '../lib/wiring/registry.ts';
import { keySets, signer } from '../lib/wiring/tokens.ts';

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

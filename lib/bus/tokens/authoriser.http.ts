import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { operatorScope, type Scope, workspaceScope } from '../../access/trust/principals.ts';
import { usageKeyOf } from '../../contract/environments.ts';
import { type Clock, defined } from '../../contract/outside.ts';
import { rowsAt } from '../../contract/paths.ts';
import { type EventHeaders, headerValues } from '../../platform/http/request.ts';
import type { IdentityRefusals } from '../activity/records.ts';
import type { Authenticate } from './authenticate.ts';
import type { ForeignTokenRefusal } from './foreign-token.ts';

/**
 * A request with several has no caller: the identity cache might use one of them and the verifier
 * another.
 */
export const soleAuthorization = (event: EventHeaders): string | undefined => {
  const [value, ...others] = headerValues(event).get('authorization') ?? [];
  return others.length > 0 ? undefined : value;
};

/**
 * `arn:aws:execute-api:region:account:api/stage/…` → everything of the stage: the result is cached
 * for all its routes.
 */
const stageArn = (methodArn: string): string => `${methodArn.split('/', 2).join('/')}/*`;

const issuersOf = ({
  httpMethod,
  resource,
  pathParameters,
  requestContext,
}: APIGatewayRequestAuthorizerEvent): Scope | undefined => {
  const row = rowsAt(requestContext.stage, resource).find(({ method }) => method === httpMethod);
  switch (row?.issuers) {
    case 'workspace':
      return workspaceScope(pathParameters?.['t'] ?? '');
    case 'operator':
      return operatorScope;
    case undefined:
      return undefined;
  }
};

export type Authoriser = (
  event: APIGatewayRequestAuthorizerEvent,
) => Promise<APIGatewayAuthorizerResult>;

interface AuthoriserPorts {
  readonly clock: Clock;
  readonly identityRefusals: IdentityRefusals;
}

/** The owner sees why a token of an identity provider that the workspace trusts was refused. */
const recordRefusal = async (
  { clock, identityRefusals }: AuthoriserPorts,
  scope: Scope | undefined,
  refused: ForeignTokenRefusal,
): Promise<void> => {
  if (scope === undefined || scope === operatorScope) return;
  if (refused.problem === 'unknown_issuer') return;
  const { problem: reason, ...whose } = refused;
  await identityRefusals.note({ workspace: scope, at: clock.now(), reason, ...whose });
};

export const authoriser = (identify: Authenticate, ports: AuthoriserPorts): Authoriser =>
  async function authoriseRequest(event) {
    const issuers = issuersOf(event);
    let refused: ForeignTokenRefusal | undefined;
    const caller = await identify({
      authorization: soleAuthorization(event),
      issuers,
      tell: found => {
        refused = found;
      },
    });
    if (!caller) {
      if (refused) await recordRefusal(ports, issuers, refused);
      // API Gateway answers this message with its 401, and never shows a cause: on AWS a stranger
      // learns nothing.
      throw new Error('Unauthorized', defined({ cause: refused?.problem }));
    }
    return {
      principalId: caller.connection,
      policyDocument: {
        Version: '2012-10-17',
        Statement: [
          { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: stageArn(event.methodArn) },
        ],
      },
      context: { ...caller },
      usageIdentifierKey: usageKeyOf(caller.connection),
    };
  };

import { createConnection } from '../../lib/access/registry/connections.ts';
import { isDeclined } from '../../lib/access/registry/declined.ts';
import { registerPrincipal } from '../../lib/access/trust/register-principal.ts';
import { localEnv } from '../../lib/local/env.ts';
import { accessKeyRecord, createLocalRole, operatorKeyIn } from '../../lib/local/roles.ts';
import type { Ready } from '../../lib/local/start.ts';
import { type OperatorPorts, operatorPorts } from '../../lib/wiring/operator.ts';
import type { RoleKeys } from './signed-client.ts';

// The SDK's notice about coming Node versions says nothing about the tests.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const nothing = { systemIds: [], grants: [], receives: [], sources: [] };

/** The registry of a running service, as its commands use it, without a process for each. */
export const runningRegistry = (data: string, { base_url, endpoints }: Ready): OperatorPorts =>
  operatorPorts(localEnv(new URL(base_url).origin, endpoints, operatorKeyIn(data)));

/** A producer that sends as its app's name, with its credentials. */
export const newProducer = async (ports: OperatorPorts, workspace: string, app: string) => {
  const made = await createConnection(ports, {
    ...nothing,
    kind: 'producer',
    workspace,
    app,
    grants: ['*'],
  });
  if (made.kind === 'declined') throw new Error(made.reason);
  return { client_id: made.connection.id, client_secret: made.clientSecret };
};

/** A role of the local service. */
export const newRole = (data: string, name: string): RoleKeys =>
  accessKeyRecord(createLocalRole(data, { name, path: '/' }));

/** Registers a role, and gives its challenge. */
export const newChallenge = async (
  ports: OperatorPorts,
  workspace: string,
  wanted: { connection: string; roleArn: string },
): Promise<string> => {
  const result = await registerPrincipal(ports, workspace, wanted);
  if (result.kind === 'declined') throw new Error(result.reason);
  return result.challenge ?? '';
};

/** What came of a change that is not declined. */
export const settled = <T>(result: T): Exclude<T, { readonly kind: 'declined' }> => {
  if (isDeclined(result)) throw new Error(result.reason);
  return result as Exclude<T, { readonly kind: 'declined' }>;
};

import { createConnection } from '../registry/connections.ts';
import { createWorkspace } from '../registry/organisations.ts';
import type { OperatorPorts } from '../wiring/operator.ts';
import { awaitConnection } from './bus.ts';
import { accepted, Refused } from './failures.ts';

/**
 * Makes a workspace of an organisation with a producer and a consumer of `story.context`, for a command's own message.
 *
 * @throws Refused if the bus does not let them in within a minute
 */
export const makeTestPair = async (
  ports: OperatorPorts,
  { name, organisation }: { readonly name: string; readonly organisation: string },
) => {
  const workspace = accepted(await createWorkspace(ports, { name, organisation })).id;
  const nothing = { workspace, app: name, systemIds: [], grants: [], receives: [], sources: [] };
  const types = ['story.context'];
  const make = async (
    what: { kind: 'producer'; grants: string[] } | { kind: 'consumer'; receives: string[] },
  ) => {
    const issued = accepted(await createConnection(ports, { ...nothing, ...what }));
    if (!(await awaitConnection(ports, issued)))
      throw new Refused(`API Gateway refuses the new connection ${issued.connection.id} after a minute.`);
    return { id: issued.connection.id, secret: issued.clientSecret };
  };
  const producer = await make({ kind: 'producer', grants: types });
  return { workspace, producer, consumer: await make({ kind: 'consumer', receives: types }) };
};

import { awsChanges } from '../../lib/access/people/changes.dynamodb.ts';
import { workspaceBearer } from '../../lib/access/trust/admission.http.ts';
import { awsCounts } from '../../lib/bus/activity/count-history.dynamodb.ts';
import { publishEdge } from '../../lib/bus/publishing/publish.http.ts';
import { awsArchive } from '../../lib/bus/replay/archive.dynamodb.ts';
import { type Bus, producer, startBus, workspace } from '../bus/activity/bus.ts';

/** A bus of each test's own, with what the portal reads beside it. */
export const busHere = () => {
  let bus: Bus;
  beforeEach(async () => {
    bus = await startBus();
  });
  afterEach(() => bus.close());
  return {
    /** The one of the test that runs. */
    bus: new Proxy({} as Bus, { get: (_, name) => Reflect.get(bus, name) }),
    ports: () => ({
      ...bus.ports,
      changes: awsChanges(bus.activityTable, bus.ports.ids),
      counts: awsCounts(bus.activityTable),
      archive: awsArchive({ client: bus.activityTable.client, name: bus.ledgerTableName }),
      principals: { list: async () => [] },
    }),
  };
};

export const pullAll = { max: 10, waitSeconds: 0, visibilitySeconds: 60 };

/** Publishes through the route, which counts. @returns the status */
export const send = async (bus: Bus, message: object | string): Promise<number> => {
  const response = await publishEdge(
    bus.ports,
    workspaceBearer,
  )({
    requestId: 'request-1',
    headers: { 'content-type': 'application/json' },
    pathParameters: { t: workspace },
    query: {},
    body: Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)),
    caller: { connection: producer.id, workspace },
  });
  return response.status;
};

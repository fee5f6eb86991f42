import { gzipSync } from 'node:zlib';
import { jobIds, probeFunction } from '../../lib/contract/functions.ts';
import { invoke } from './functions.ts';
import type { Run, World } from './world.ts';

/** A batch of lines of the access log, as CloudWatch Logs sends them. */
const limitedBatch = ({ producer, workspace }: World) => {
  const line = { connection: producer.client_id, workspace, refusedBy: 'THROTTLED' };
  const logEvents = [{ id: '1', timestamp: Date.now(), message: JSON.stringify(line) }];
  const batch = gzipSync(JSON.stringify({ messageType: 'DATA_MESSAGE', logEvents }));
  return { awslogs: { data: batch.toString('base64') } };
};

/** Every function that no request reaches. */
export const everySchedule = async ({ checks }: Run, world: World): Promise<void> => {
  checks.step('Every scheduled function');
  for (const name of [...jobIds, probeFunction.id])
    await checks.check(`${name} ends without an error`, () => invoke(name));
  await checks.check('limited-requests takes a batch of the access log', () =>
    invoke('limited-requests', limitedBatch(world)),
  );
};

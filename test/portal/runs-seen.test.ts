import type { Run } from '../../lib/checks/run.ts';
import { awsCheckRuns } from '../../lib/checks/runs.dynamodb.ts';
import { checkCalls } from '../../lib/portal/check.http.ts';
import { workspace } from '../bus/activity/bus.ts';
import { busHere } from './bus-here.ts';

const { bus, ports } = busHere();

const checkRuns = () =>
  awsCheckRuns({ client: bus.activityTable.client, name: bus.ledgerTableName });

const now = 1_790_000_000_000;

/** A run of some connections, the older the higher its number. */
const addRun = async (number: number, ...connections: readonly string[]): Promise<string> => {
  const id = `taaaaaaa${number}`;
  const run = {
    ...{ id, kind: 'producer', workspace, options: {}, busVersion: '1', status: 'finished' },
    connections: connections.map(connection_id => ({ connection_id, system_ids: [] })),
    createdAt: now - number,
    state: { instances: {}, registrations: {}, labels: [], cases: [], receives: [], notes: [] },
  };
  await checkRuns().add(run as unknown as Run, []); // as much of it as a list shows
  return id;
};

/** What somebody who sees these connections, and no others, is answered. */
const seenBy = (...connections: readonly string[]) => {
  const organisation = 'ovendor222222';
  const mine = connections.map(id => ({ id, organisation, guestSince: '2026-01-01' }));
  const around = {
    ...ports(),
    checkRuns: checkRuns(),
    connections: { ofWorkspace: async () => mine },
    invitations: { guestOf: async () => ({ organisation, since: '2026-01-01' }) },
  };
  const call = { standing: {}, roles: [{ organisation }], subject: { w: workspace }, query: {} };
  const [given, asked] = [around, call] as unknown as Parameters<(typeof checkCalls)['check.all']>;
  return checkCalls['check.all'](given, asked);
};

test('a page of a guest has the runs of its own connections, however many others there are', async () => {
  for (let number = 100; number < 305; number += 1) await addRun(number, 'chouse2222222');
  const id = await addRun(400, 'cguest2222222');
  const page = await seenBy('cguest2222222', 'cguest3333333');
  expect(page).toEqual({ runs: [expect.objectContaining({ run_id: id })] });
  expect(await seenBy()).toEqual({ runs: [] });
});

test('runs of several connections are one list, page by page, each of them once', async () => {
  const owners = ['cconsumer2222', 'cproducer2222'];
  const ids = [await addRun(101, ...owners), await addRun(102, 'cproducer2222')];
  ids.push(await addRun(103, 'cconsumer2222'), await addRun(104, ...owners));
  const pages: (readonly string[])[] = [];
  let after: string | undefined;
  do {
    const { entries, next } = await checkRuns().listOf(owners, { after, max: 2 });
    pages.push(entries.map(({ id }) => id));
    after = next;
  } while (after !== undefined);
  expect(pages.slice(0, 2)).toEqual([ids.slice(0, 2), ids.slice(2)]);
  expect(pages.flat()).toHaveLength(ids.length);
});

import { resumeOrganisation, suspendOrganisation } from '../../lib/access/people/approval.ts';
import { eventually } from '../support/eventually.ts';
import { portalHere, told } from './portal-people.ts';

const portal = portalHere();
const { bus, viewer, editor, guest } = portal;

const makeOne = async (body: object) =>
  String((await editor('connection.make', { body })).body.connection_id);
const pair = async () => ({
  c: await makeOne({ kind: 'consumer', app: 'Flags', receives: ['story.context'] }),
  producer: await makeOne({ kind: 'producer', app: 'Flags out', grants: ['skill.warning.raised'] }),
});

const request = (producer: string) => ({
  kind: 'executor',
  producer,
  cases: ['raise-flag-on-match/declares'],
  limit_seconds: 120,
});

test('an editor starts, watches and stops a run; a viewer sees it', async () => {
  const { c, producer } = await pair();
  const started = await editor('check.start', { subject: { c }, body: request(producer) });
  expect(started.body).toMatchObject({ kind: 'executor', status: 'running' });
  const t = started.body.run_id as string;
  expect((await viewer('check.show', { subject: { c, t } })).body).toMatchObject({
    run_id: t,
    cases: [{ case_id: 'raise-flag-on-match/declares', verdict: 'undecided' }],
  });
  // Both of its connections list it.
  for (const one of [c, producer]) {
    const { body } = await viewer('check.list', { subject: { c: one } });
    expect(body).toMatchObject({ runs: [{ run_id: t }], may_start: false });
  }
  // And its workspace, for those who see it.
  const idsSeen = async (who: typeof viewer): Promise<readonly string[]> =>
    (await who('check.all')).body.runs.map((one: { run_id: string }) => one.run_id);
  expect([(await idsSeen(viewer)).includes(t), await idsSeen(guest)]).toEqual([true, []]);
  expect((await editor('check.list', { subject: { c } })).body.may_start).toBe(true);
  expect((await viewer('check.stop', { subject: { c, t } })).status).toBe(403);
  expect((await editor('check.stop', { subject: { c, t } })).status).toBe(200);
  // The run is another connection's.
  expect((await editor('check.show', { subject: { c: portal.made.own, t } })).status).toBe(404);
});

test('what cannot be started is declined with the reason', async () => {
  const { c, producer } = await pair();
  const start = (body: object) => editor('check.start', { subject: { c }, body });
  expect(told(await start(request(c)))).toBe(
    `409 portal.declined: ${c} is a consumer: this run needs a producer there.`,
  );
  expect(told(await start({ ...request(producer), instances: 'all' }))).toMatch(
    /^400 request.invalid:/,
  );
});

test("nobody runs checks with somebody else's connection: no guest with one of the house, nor the house with one of the guest", async () => {
  const { c } = await pair();
  const subject = { c: portal.made.guest };
  const no = 'Your organisation has no active';
  expect(
    told(await guest('check.start', { subject, body: { kind: 'executor', consumer: c } })),
  ).toBe(`409 portal.declined: ${no} consumer connection ${c}.`);
  expect(told(await editor('check.start', { subject: { c }, body: request(subject.c) }))).toBe(
    `409 portal.declined: ${no} producer connection ${subject.c}.`,
  );
});

test("the house stops a guest's run, and a suspension stops one", async () => {
  const subject = { c: portal.made.guest };
  const start = async () => {
    const { body } = await guest('check.start', { subject, body: { kind: 'producer' } });
    expect(body).toMatchObject({ status: 'running' });
    return { subject: { ...subject, t: String(body.run_id) } };
  };
  const report = async (one: object) => (await viewer('check.show', one)).body;
  const isOver = (one: object) => eventually(async () => (await report(one)).status !== 'running');
  const first = await start();
  expect((await viewer('check.stop', first)).status).toBe(403);
  expect((await editor('check.stop', first)).status).toBe(200);
  await isOver(first);
  const second = await start();
  expect(await suspendOrganisation(bus.registry, portal.made.vendor)).not.toMatchObject({
    kind: 'declined',
  });
  await isOver(second);
  expect(JSON.stringify(await report(second))).toContain('was suspended in mid-run');
  await resumeOrganisation(bus.registry, portal.made.vendor);
});

test('the operator raises a limit, and nobody else does', async () => {
  const body = { limit: 'connections', workspace_id: bus.ready.workspace, max: 25 };
  const raise = (person: typeof editor, more = {}) =>
    person('operator.raise', { subject: { o: portal.made.vendor }, body: { ...body, ...more } });
  expect((await raise(editor)).status).toBe(404);
  const operator = portal.as('operator');
  expect((await raise(operator)).body).toMatchObject({
    limit: 'connections',
    id: `${bus.ready.workspace}.${portal.made.vendor}`,
    max: 25,
  });
  expect((await raise(operator, { limit: 'all' })).body.code).toBe('request.invalid');
});

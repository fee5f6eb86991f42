import { resumeOrganisation, suspendOrganisation } from '../../lib/registry/approval.ts';
import { eventually } from '../support/eventually.ts';
import { serviceHere } from '../support/one-service.ts';
import { populate, portalOf, threePeople } from './portal-people.ts';

const bus = serviceHere();

let made: Awaited<ReturnType<typeof populate>>;
let people: Awaited<ReturnType<typeof threePeople>>;

beforeAll(async () => {
  made = await populate(bus);
  people = await threePeople(bus);
});

const pair = async () => {
  const [consumer, producer] = await Promise.all([
    people.editor('connection.make', {
      body: { kind: 'consumer', app: 'Flags', receives: ['story.context'] },
    }),
    people.editor('connection.make', {
      body: { kind: 'producer', app: 'Flags out', grants: ['skill.warning.raised'] },
    }),
  ]);
  return { c: consumer.body.connection_id as string, producer: producer.body.connection_id as string };
};

const request = (producer: string) => ({
  kind: 'executor',
  producer,
  cases: ['raise-flag-on-match/declares'],
  limit_seconds: 5,
});

test('an editor starts, watches and stops a run; a viewer sees it', async () => {
  const { c, producer } = await pair();
  const started = await people.editor('check.start', { subject: { c }, body: request(producer) });
  expect(started.body).toMatchObject({ kind: 'executor', status: 'running' });
  const t = started.body.run_id as string;
  const shown = await people.viewer('check.show', { subject: { c, t } });
  expect(shown.body).toMatchObject({
    run_id: t,
    cases: [{ case_id: 'raise-flag-on-match/declares', verdict: 'undecided' }],
  });
  // Both of its connections list it.
  for (const one of [c, producer]) {
    const { body } = await people.viewer('check.list', { subject: { c: one } });
    expect(body).toMatchObject({ runs: [{ run_id: t }], may_start: false });
  }
  expect((await people.viewer('check.stop', { subject: { c, t } })).status).toBe(403);
  expect((await people.editor('check.stop', { subject: { c, t } })).status).toBe(200);
  // The run is another connection's.
  expect((await people.editor('check.show', { subject: { c: made.own, t } })).status).toBe(404);
});

test('what cannot be started is declined with the reason', async () => {
  const { c, producer } = await pair();
  const declined = await people.editor('check.start', { subject: { c }, body: request(c) });
  expect([declined.status, declined.body.message]).toEqual([
    409,
    `${c} is a consumer: this run needs a producer there.`,
  ]);
  const wrong = await people.editor('check.start', {
    subject: { c },
    body: { ...request(producer), instances: 'all' },
  });
  expect([wrong.status, wrong.body.code]).toEqual([400, 'request.invalid']);
});

describe("nobody runs checks with somebody else's connection", () => {
  test('the guest with one of the house, nor the house with one of the guest', async () => {
    const { c, producer } = await pair();
    const guest = await people.guest('check.start', {
      subject: { c: made.guest },
      body: { kind: 'executor', consumer: c },
    });
    expect([guest.status, guest.body.message]).toEqual([
      409,
      `Your organisation has no active consumer connection ${c}.`,
    ]);
    const house = await people.editor('check.start', { subject: { c }, body: request(made.guest) });
    expect([house.status, house.body.message]).toEqual([
      409,
      `Your organisation has no active producer connection ${made.guest}.`,
    ]);
    const own = await people.editor('check.start', { subject: { c: made.guest }, body: request(producer) });
    expect(own.status).toBe(403);
  });

  test("but the house stops a guest's run, and a suspension stops one", async () => {
    const subject = { c: made.guest };
    const start = async () => {
      const { body } = await people.guest('check.start', { subject, body: { kind: 'producer' } });
      expect(body).toMatchObject({ status: 'running' });
      return { ...subject, t: String(body.run_id) };
    };
    const report = async (one: { c: string; t: string }) =>
      (await people.viewer('check.show', { subject: one })).body;
    const isOver = (one: { c: string; t: string }) =>
      eventually(async () => (await report(one)).status !== 'running');
    const first = await start();
    expect((await people.viewer('check.stop', { subject: first })).status).toBe(403);
    expect((await people.editor('check.stop', { subject: first })).status).toBe(200);
    await isOver(first);
    const second = await start();
    expect(await suspendOrganisation(bus.registry, made.vendor)).not.toMatchObject({ kind: 'declined' });
    await isOver(second);
    expect(JSON.stringify(await report(second))).toContain('was suspended in mid-run');
    await resumeOrganisation(bus.registry, made.vendor);
  });

  test('the operator raises a limit, and nobody else does', async () => {
    const operator = await portalOf(bus, 'operator');
    const subject = { o: made.vendor };
    const body = { limit: 'connections', workspace_id: bus.ready.workspace, max: 25 };
    expect((await people.editor('operator.raise', { subject, body })).status).toBe(404);
    expect((await operator('operator.raise', { subject, body })).body).toMatchObject({
      limit: 'connections',
      id: `${bus.ready.workspace}.${made.vendor}`,
      max: 25,
    });
    const wrong = await operator('operator.raise', { subject, body: { ...body, limit: 'all' } });
    expect([wrong.status, wrong.body.code]).toEqual([400, 'request.invalid']);
  });
});

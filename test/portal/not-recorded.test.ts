import { serviceHere } from '../support/one-service.ts';
import { callsWith, populate, portalOf, subject } from './portal-people.ts';

const bus = serviceHere();

beforeAll(async () => {
  await populate(bus);
});

/** Calls of the owner of the house, while the record of changes cannot be written. */
const unrecorded = () =>
  callsWith(
    bus,
    { changes: { note: () => Promise.reject(new Error('The table is busy.')) } },
    { issuer: 'local', subject: subject('owner'), name: 'Owner' },
  );

test('a record that cannot be written does not take a new secret with it: the response says that it was not recorded', async () => {
  const editor = await portalOf(bus, 'editor');
  const made = await editor('connection.make', {
    body: { kind: 'producer', app: 'Unrecorded', grants: ['link.*'] },
  });
  const { connection_id: c, version } = made.body;
  const body = { version, overlap_seconds: 0 };
  expect(await unrecorded()('connection.rotate', { subject: { c }, body })).toMatchObject({
    status: 200,
    body: { not_recorded: true, client_secret: expect.stringMatching(/^sbs_/) },
    log: { error: 'connection.rotate not recorded' },
  });
});

test("a vendor's place ends even if the change cannot be recorded", async () => {
  const owner = await portalOf(bus, 'owner');
  const { body } = await owner('connection.vendors', {});
  const [{ organisation_id }] = body.vendors;
  expect(await unrecorded()('connection.endVendor', { body: { organisation_id } })).toMatchObject({
    status: 200,
    body: { not_recorded: true, revoked: 1 },
  });
});

import { callsWith, portalHere, subject } from './portal-people.ts';

const { bus, editor, owner } = portalHere();

/** What the owner of the house does while the record of changes cannot be written. */
const unrecorded = (...call: Parameters<typeof owner>) => {
  const changes = { note: () => Promise.reject(new Error('The table is busy.')) };
  const person = { issuer: 'local', subject: subject('owner'), name: 'Owner' };
  return callsWith(bus, { changes }, person)(...call);
};

test('a record that cannot be written does not take a new secret with it: the response says that it was not recorded', async () => {
  const wanted = { kind: 'producer', app: 'Unrecorded', grants: ['link.*'] };
  const { connection_id: c, version } = (await editor('connection.make', { body: wanted })).body;
  const body = { version, overlap_seconds: 0 };
  expect(await unrecorded('connection.rotate', { subject: { c }, body })).toMatchObject({
    status: 200,
    body: { not_recorded: true, client_secret: expect.stringMatching(/^sbs_/) },
    log: { error: 'connection.rotate not recorded' },
  });
});

test("a vendor's place ends even if the change cannot be recorded", async () => {
  const [{ organisation_id }] = (await owner('connection.vendors')).body.vendors;
  expect(await unrecorded('connection.endVendor', { body: { organisation_id } })).toMatchObject({
    status: 200,
    body: { not_recorded: true, revoked: 1 },
  });
});

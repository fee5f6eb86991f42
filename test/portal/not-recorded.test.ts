import { type CallServices, serveCalls } from '../../lib/portal/calls.http.ts';
import { connectionCalls } from '../../lib/portal/connection.http.ts';
import type { PortalPorts } from '../../lib/portal/ports.ts';
import { serviceHere } from '../support/one-service.ts';
import { populate, portalOf, subject } from './portal-people.ts';

const bus = serviceHere();

beforeAll(async () => {
  await populate(bus);
});

/** Makes a change as the owner of the house, while the record of changes cannot be written. */
const change = async (path: string, body: object) => {
  const person = { issuer: 'local', subject: subject('owner'), name: 'Owner' };
  const ports = {
    ...bus.registry,
    changes: { note: () => Promise.reject(new Error('The table is busy.')) },
    refusedTexts: { keptSince: async () => undefined, find: async () => undefined },
    sessions: { use: async () => ({ person, createdAt: 0, endsAt: 1 }) },
  } as unknown as PortalPorts; // all that these calls use
  const services = { connection: connectionCalls } as CallServices; // no other group is called
  const serve = serveCalls(ports, services, { origin: 'https://bus.example', isLocal: true, region: '' });
  return serve({
    requestId: 'r',
    method: 'POST',
    pathParameters: { proxy: `connection/${bus.ready.workspace}/${path}` },
    query: {},
    headers: {
      host: 'bus.example',
      origin: 'http://bus.example',
      'content-type': 'application/json',
      'x-sombus-portal': '1',
      cookie: `sombus-session=${'a'.repeat(43)}`,
    },
    body: Buffer.from(JSON.stringify(body)),
  });
};

test('a record that cannot be written does not take a new secret with it: the response says that it was not recorded', async () => {
  const editor = await portalOf(bus, 'editor');
  const made = await editor('connection.make', {
    body: { kind: 'producer', app: 'Unrecorded', grants: ['link.*'] },
  });
  const { connection_id: c, version } = made.body;
  expect(await change(`${c}/secrets/rotate`, { version, overlap_seconds: 0 })).toMatchObject({
    status: 200,
    body: { not_recorded: true, client_secret: expect.stringMatching(/^sbs_/) },
    log: { error: 'connection.rotate not recorded' },
  });
});

test("a vendor's place ends even if the change cannot be recorded", async () => {
  const owner = await portalOf(bus, 'owner');
  const { body } = await owner('connection.vendors', {});
  const [{ organisation_id }] = body.vendors;
  expect(await change('vendors/end', { organisation_id })).toMatchObject({
    status: 200,
    body: { not_recorded: true, revoked: 1 },
  });
});

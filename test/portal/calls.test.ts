import { callsWith, portalHere, subject, told } from './portal-people.ts';

const portal = portalHere();
const { bus, editor, owner } = portal;

/** The organisations to whose changes the last call of `unrecorded` tried to add one. */
const tried: string[] = [];

/** What the owner of the house does while the record of changes cannot be written. */
const unrecorded = (...call: Parameters<typeof owner>) => {
  tried.length = 0;
  const changes = {
    note({ organisation }: { readonly organisation: string }) {
      tried.push(organisation);
      return Promise.reject(new Error('The table is busy.'));
    },
  };
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

const [foreign, own] = [403, 200];
test.each<[string, number, Readonly<Record<string, string | undefined>>]>([
  ['a page of the portal', own, { 'sec-fetch-site': 'same-origin' }],
  ['another origin', foreign, { origin: 'http://127.0.0.1:5173' }],
  ['an origin that hides itself', foreign, { origin: 'null' }],
  ['a page of the same site on another port', foreign, { 'sec-fetch-site': 'same-site' }],
  ['no page', foreign, { 'sec-fetch-site': 'none' }],
  ['another site', foreign, { 'sec-fetch-site': 'cross-site' }],
  ['a page that cannot send our header', foreign, { 'x-sombus-portal': undefined }],
  ['a form', foreign, { 'content-type': 'application/x-www-form-urlencoded' }],
])('a call from %s is answered with %i', async (_who, status, headers) => {
  const person = { issuer: 'local', subject: subject('owner'), name: 'Owner' };
  const call = callsWith(bus, { changes: { note: async () => undefined } }, person);
  const { organisation: o } = portal.made;
  const body = { role: 'viewer' };
  expect(await call('organisation.inviteMember', { subject: { o }, body, headers })).toMatchObject({
    status,
    ...(status === foreign ? { body: { code: 'request.foreign' } } : {}),
  });
});

test.each([
  ...(['connection.permit', 'connection.rotate', 'connection.endSecret'] as const),
  ...(['connection.registerRole', 'connection.endRole', 'queue.skip'] as const),
  ...(['skill.register', 'skill.replace', 'skill.pause', 'skill.resume', 'skill.end'] as const),
  ...(['check.start', 'validate.publish'] as const),
])("%s is not for the house, about a vendor's connection", async id => {
  const subject = { c: portal.made.guest, r: 'raaaaaaaaaaaa' };
  const body = { version: 'seen', message_id: 'm', confirm: 'm', kind: 'producer', text: '{}' };
  expect(told(await editor(id, { subject, body }))).toMatch(/^403 .*belongs to a vendor/);
});

test.each(['kinds', 'grants', 'receives'])(
  'an invitation with too long a list of %s is refused, not made for less',
  async name => {
    const terms = { kinds: ['producer', 'consumer'], grants: ['link.*'], receives: ['link.*'] };
    const { organisation: o } = portal.made;
    const count = async (): Promise<number> =>
      (await owner('organisation.invitations', { subject: { o } })).body.invitations.length;
    const before = await count();
    const long = Array.from({ length: 51 }, (_, at) => `link.${at}`);
    const refused = await owner('workspace.inviteVendor', { body: { ...terms, [name]: long } });
    expect([refused.status, refused.body.code]).toEqual([400, 'request.invalid']);
    expect(await count()).toBe(before);
  },
);

test('a session that asks too often is told when to ask again', async () => {
  const sessions = { use: async () => 'busy' };
  const busy = callsWith(
    bus,
    { sessions },
    { issuer: 'local', subject: 'anybody', name: 'Anybody' },
  );
  expect(await busy('sign.session')).toMatchObject({
    ...{ status: 429, headers: { 'retry-after': '1' }, body: { code: 'session.busy' } },
  });
});

test("a vendor's place ends, for its house and for itself, even if that cannot be recorded", async () => {
  const [{ organisation_id }] = (await owner('connection.vendors')).body.vendors;
  expect(await unrecorded('connection.endVendor', { body: { organisation_id } })).toMatchObject({
    status: 200,
    body: { not_recorded: true, revoked: 1 },
  });
  expect([...tried].sort()).toEqual([organisation_id, portal.made.organisation].sort());
});

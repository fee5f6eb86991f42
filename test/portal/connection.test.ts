import { addMember } from '../../lib/access/people/members.ts';
import { createOrganisation, createWorkspace } from '../../lib/access/people/organisations.ts';
import { newRole } from '../support/running-registry.ts';
import { signedPost } from '../support/signed-client.ts';
import { type Portal, portalHere, subject, told } from './portal-people.ts';

const portal = portalHere();
const { bus, viewer, editor, owner, guest } = portal;

const makeProducer = async (app: string, person = editor) =>
  (await person('connection.make', { body: { kind: 'producer', app, grants: ['link.*'] } })).body;

const show = async (person: Portal, c: string) =>
  (await person('connection.show', { subject: { c } })).body;

/** Changes a connection as it is now. */
const change = async (person: Portal, id: Parameters<Portal>[0], c: string, body: object = {}) => {
  const { version } = await show(person, c);
  return person(id, { subject: { c }, body: { version, ...body } });
};

const tokenStatus = async (id: string, secret: string): Promise<number> => {
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  const response = await fetch(`${bus.base}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  return response.status;
};

describe('a connection', () => {
  test('is made by an editor; its secret works, is shown once, and is under the names that clients read', async () => {
    const issued = await makeProducer('Rundown');
    expect(issued).toMatchObject({
      kind: 'producer',
      status: 'active',
      app_name: 'Rundown',
      system_ids: ['Rundown'],
      grants: ['link.*'],
      is_own: true,
      quota: expect.objectContaining({ per_day: expect.any(Number) }),
      variables: {
        SOMBUS_BASE_URL: `${bus.base}/`,
        SOMBUS_TOKEN_URL: `${bus.base}/oauth/token`,
        SOMBUS_WORKSPACE: bus.ready.workspace,
        SOMBUS_CLIENT_ID: issued.connection_id,
        SOMBUS_CLIENT_SECRET: issued.client_secret,
        SOMBUS_SYSTEM_ID: 'Rundown',
      },
    });
    expect(await tokenStatus(issued.connection_id, issued.client_secret)).toBe(200);
    const shown = await viewer('connection.show', { subject: { c: issued.connection_id } });
    expect(shown.status).toBe(200);
    expect(JSON.stringify(shown.body)).not.toContain(issued.client_secret);
    expect(shown.body.secrets.current).toEqual({
      issued_at: expect.any(String),
      last_used_at: expect.any(String),
    });
  });

  test.each([
    [
      { kind: 'producer', app: 'A', grants: ['link.comitted'] },
      409,
      'Did you mean "link.committed"?',
    ],
    [{ kind: 'reader', app: 'A' }, 400, 'form'],
    [{ kind: 'producer', app: ' ' }, 400, 'form'],
    [{ kind: 'producer', app: 'A', grants: 'link.*' }, 400, '"grants" has to be a list'],
    [
      { kind: 'producer', app: 'A', grants: ['link.*'], organisation_id: 'oxxxxxxxxxxxx' },
      403,
      'role',
    ],
  ])('is not made from %j', async (body, status, words) => {
    const response = await editor('connection.make', { body });
    expect([response.status, response.body.message]).toEqual([
      status,
      expect.stringContaining(words),
    ]);
  });

  test('is made with a type that nobody knows if the editor insists', async () => {
    const body = { kind: 'consumer', app: 'Future', receives: ['weather.*'], force: true };
    const { status, body: issued } = await editor('connection.make', { body });
    expect(status).toBe(200);
    expect(issued).toMatchObject({
      receives: ['weather.*'],
      queue_url: expect.stringContaining('.fifo'),
    });
  });

  test('gets a new secret; the old one works during the overlap, until somebody ends it', async () => {
    const { connection_id: c, client_secret: first } = await makeProducer('Rotated');
    const rotated = await change(editor, 'connection.rotate', c, { overlap_seconds: 86_400 });
    expect(rotated.status).toBe(200);
    const second = rotated.body.client_secret;
    expect(rotated.body.secrets.previous.valid_until).toEqual(expect.any(String));
    expect([await tokenStatus(c, first), await tokenStatus(c, second)]).toEqual([200, 200]);
    expect(told(await change(editor, 'connection.rotate', c, { overlap_seconds: 0 }))).toMatch(
      /^409 .*still works until/,
    );
    const ended = await change(editor, 'connection.endSecret', c, { which: 'previous' });
    expect(ended.body.secrets).toEqual({ current: expect.anything() });
    expect([await tokenStatus(c, first), await tokenStatus(c, second)]).toEqual([401, 200]);
  });

  test.each([-1, 2_592_001, 1.5, undefined])('cannot overlap %p seconds', async overlap_seconds => {
    const { status } = await change(editor, 'connection.rotate', portal.made.own, {
      overlap_seconds,
    });
    expect(status).toBe(400);
  });

  test('is paused, resumed and revoked', async () => {
    const { connection_id: c, client_secret } = await makeProducer('Ended');
    expect((await change(editor, 'connection.pause', c)).body.status).toBe('paused');
    expect((await change(editor, 'connection.resume', c)).body.status).toBe('active');
    expect((await change(editor, 'connection.revoke', c)).body.status).toBe('revoked');
    expect(await tokenStatus(c, client_secret)).toBe(401);
    expect(told(await change(editor, 'connection.resume', c))).toMatch(/^409 portal.declined:/);
  });

  test('gets other permissions, those that are named', async () => {
    const { connection_id: c } = await makeProducer('Permitted');
    const changed = await change(editor, 'connection.permit', c, { grants: ['story.context'] });
    expect(changed.body).toMatchObject({ grants: ['story.context'], system_ids: ['Permitted'] });
    expect((await change(editor, 'connection.permit', c, { grants: 'x' })).status).toBe(400);
    expect((await change(editor, 'connection.permit', c, { receives: ['*'] })).status).toBe(409);
  });
});

describe('two people', () => {
  test('change the same connection: the second is told, and nothing of the first is overwritten', async () => {
    const { connection_id: c, version } = await makeProducer('Contended');
    const first = { subject: { c }, body: { version, grants: ['story.context'] } };
    expect((await owner('connection.permit', first)).status).toBe(200);
    expect(
      told(
        await editor('connection.permit', {
          subject: { c },
          body: { version, grants: ['link.committed'] },
        }),
      ),
    ).toMatch(/^409 portal.changed:/);
    const now = await viewer('connection.show', { subject: { c } });
    expect(now.body.grants).toEqual(['story.context']);
    expect(told(await editor('connection.revoke', { subject: { c } }))).toMatch(
      /^400 request.invalid:/,
    );
  });

  test('see what each of them did, and when', async () => {
    const { connection_id: c } = await makeProducer('Recorded');
    await change(owner, 'connection.rotate', c, { overlap_seconds: 3600 });
    const { body } = await viewer('organisation.changes', {
      subject: { o: portal.made.organisation },
    });
    const own = body.changes.filter(
      (one: { facts: { connection?: string } }) => one.facts.connection === c,
    );
    const facts = { workspace: bus.ready.workspace, connection: c };
    const at = expect.any(String);
    expect(own).toEqual([
      {
        ...{ at, by: 'the-owner', what: 'secret.rotate', words: 'rotated the secret of Recorded' },
        facts: { ...facts, overlap_seconds: '3600' },
      },
      {
        ...{
          at,
          by: 'the-editor',
          what: 'connection.make',
          words: 'created the producer Recorded',
        },
        facts: { ...facts, kind: 'producer' },
      },
    ]);
  });
});

describe('a vendor', () => {
  test('makes connections within what it was invited for, under its own apps', async () => {
    const mine = await makeProducer('Plugin', guest);
    expect(mine).toMatchObject({
      organisation_id: portal.made.vendor,
      grants: ['link.*'],
      is_own: true,
    });
    const body = { kind: 'producer', app: 'Plugin', grants: ['story.*'] };
    expect(told(await guest('connection.make', { body }))).toBe(
      '409 portal.declined: This workspace did not invite you for story.*: it allows link.*.',
    );
    const wider = await change(guest, 'connection.permit', mine.connection_id, { grants: ['*'] });
    expect(wider.status).toBe(409);
    const issuer = await guest('connection.addIssuer', { body: {} });
    expect(issuer.status).toBe(403);
  });

  test('sees its own connections, and none of the house', async () => {
    const { body } = await guest('connection.list');
    const owners = body.connections.map((one: { organisation_id: string }) => one.organisation_id);
    expect(new Set(owners)).toEqual(new Set([portal.made.vendor]));
    const own: string[] = body.connections.map(
      (one: { connection_id: string }) => one.connection_id,
    );
    const { activity } = (await guest('workspace.activity', { query: { kind: 'changed' } })).body;
    const changed: string[] = activity.map((one: { connection_id: string }) => one.connection_id);
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.filter(id => !own.includes(id))).toEqual([]);
    expect(body.makers).toEqual([
      {
        organisation_id: portal.made.vendor,
        name: 'Vendor',
        kinds: ['producer', 'consumer'],
        grants: ['link.*'],
        receives: ['link.*'],
      },
    ]);
    expect((await guest('connection.show', { subject: { c: portal.made.own } })).status).toBe(404);
    const revoked = { subject: { c: portal.made.own }, body: { version: 'x' } };
    expect((await guest('connection.revoke', revoked)).status).toBe(404);
  });

  test('cannot keep the house from ending a connection', async () => {
    const { connection_id: c } = await makeProducer('Watched', guest);
    const { body } = await editor('connection.show', { subject: { c } });
    expect(body.is_own).toBe(false);
    expect((await change(editor, 'connection.pause', c)).body.status).toBe('paused');
    expect((await change(editor, 'connection.revoke', c)).body.status).toBe('revoked');
    const seen = await guest('organisation.changes', { subject: { o: portal.made.vendor } });
    expect(seen.body.changes[0]).toMatchObject({ by: 'the-editor', what: 'connection.revoke' });
  });
});

describe('what a person may do with a connection', () => {
  const mayOf = async (person: Portal, c: string) => {
    const { may_change, may_end, may_bind } = await show(person, c);
    return { may_change, may_end, may_bind };
  };
  const nothing = { may_change: false, may_end: false, may_bind: false };

  test('of the house: an editor everything, a viewer nothing', async () => {
    const { connection_id: c } = await makeProducer('Ours');
    expect(await mayOf(editor, c)).toEqual({ may_change: true, may_end: true, may_bind: true });
    expect(await mayOf(viewer, c)).toEqual(nothing);
  });

  test('of a vendor: the house’s editor ends it, the vendor’s own changes it too', async () => {
    const { connection_id: c } = await makeProducer('Theirs', guest);
    expect(await mayOf(guest, c)).toEqual({ may_change: true, may_end: true, may_bind: false });
    expect(await mayOf(editor, c)).toEqual({ may_change: false, may_end: true, may_bind: true });
    expect(await mayOf(viewer, c)).toEqual(nothing);
  });

  test('that was revoked: nothing', async () => {
    const { connection_id: c } = await makeProducer('Over');
    await change(owner, 'connection.revoke', c);
    expect(await mayOf(editor, c)).toEqual(nothing);
  });
});

describe('a cloud role', () => {
  test('is registered, proves itself with the request that the portal wrote, and ends', async () => {
    const { connection_id: c } = await makeProducer('Signed');
    const role = newRole(bus.data, 'portal-role');
    const registered = await change(editor, 'connection.registerRole', c, {
      role_arn: role.role_arn,
    });
    expect(registered.body.roles).toMatchObject([
      {
        role_arn: role.role_arn,
        status: 'pending',
        challenge_until: expect.stringMatching(/^2\d{3}-.*Z$/),
      },
    ]);
    const { method, url, body, service, region } = registered.body.request;
    expect([method, service, region]).toEqual(['POST', 'execute-api', 'us-east-1']);
    expect(JSON.parse(body)).toEqual({ connection_id: c, challenge: registered.body.challenge });
    expect((await signedPost(role, url, body)).body).toMatchObject({
      verified: true,
      connection_id: c,
    });
    const shown = await viewer('connection.show', { subject: { c } });
    expect(shown.body.roles).toMatchObject([
      { status: 'verified', verified_at: expect.any(String) },
    ]);
    const [{ role_id }] = shown.body.roles;
    expect((await change(editor, 'connection.endRole', portal.made.own, { role_id })).status).toBe(
      409,
    );
    expect((await change(editor, 'connection.endRole', c, { role_id })).body.roles).toEqual([]);
  });

  test('of another organisation is not told to who registers its name; only the role itself is', async () => {
    const { connection_id: ours } = await makeProducer('House signed');
    const role = newRole(bus.data, 'house-role-of-ours');
    const name = { role_arn: role.role_arn };
    const own = (await change(editor, 'connection.registerRole', ours, name)).body.request;
    expect((await signedPost(role, own.url, own.body)).status).toBe(200);
    const { connection_id: theirs } = await makeProducer('Guest signed', guest);
    const asked = await change(guest, 'connection.registerRole', theirs, name);
    expect([asked.status, JSON.stringify(asked.body).includes(ours)]).toEqual([200, false]);
    const { url, body } = asked.body.request;
    const proved = await signedPost(role, url, body);
    expect([proved.status, proved.body]).toEqual([
      403,
      expect.objectContaining({
        violations: [
          expect.objectContaining({ message: expect.stringContaining(`the producer ${ours}`) }),
        ],
      }),
    ]);
    const { connection_id: second } = await makeProducer('Signed twice');
    expect(told(await change(editor, 'connection.registerRole', second, name))).toContain(ours);
  });

  test('has an ARN', async () => {
    expect(
      told(
        await change(editor, 'connection.registerRole', portal.made.own, { role_arn: 'somebody' }),
      ),
    ).toMatch(/^409 .*is not a role ARN/);
  });
});

describe("somebody's own identity provider", () => {
  const issuer = 'https://idp.example/portal';
  const provider = {
    issuer,
    jwks_uri: 'https://idp.example/keys',
    audience: 'bus',
    client_claim: 'azp',
  };

  test('is added to a workspace, and its clients act for one connection at a time', async () => {
    const added = await editor('connection.addIssuer', { body: provider });
    expect(added.body).toMatchObject(provider);
    expect((await editor('connection.addIssuer', { body: provider })).status).toBe(409);
    const client = { issuer, client: 'desk' };
    const long = { issuer, client: 'd'.repeat(257) };
    const tooLong = await change(editor, 'connection.bindClient', portal.made.own, long);
    expect(tooLong.body.message).toBe('The name of a client has 1 to 256 characters.');
    const bound = await change(editor, 'connection.bindClient', portal.made.own, client);
    expect(bound.body.clients).toMatchObject([client]);
    expect(told(await change(editor, 'connection.bindClient', portal.made.guest, client))).toBe(
      '409 portal.declined: The client desk acts for another connection already: unbind it there first.',
    );
    expect((await change(guest, 'connection.bindClient', portal.made.guest, client)).status).toBe(
      403,
    );
    expect((await change(guest, 'connection.unbindClient', portal.made.guest, client)).status).toBe(
      409,
    );
    expect(
      (await change(editor, 'connection.unbindClient', portal.made.own, client)).body.clients,
    ).toEqual([]);
    expect((await viewer('connection.list')).body.issuers).toMatchObject([provider]);
    expect((await editor('connection.removeIssuer', { body: { issuer } })).status).toBe(200);
  });

  test.each([
    [{ ...provider, jwks_uri: 'http://127.0.0.1/keys' }, 409],
    [{ ...provider, client_claim: 'name' }, 400],
  ])('is not added as %j', async (body, status) => {
    expect((await editor('connection.addIssuer', { body })).status).toBe(status);
  });
});

describe('a name of the house', () => {
  const pending = (roleArn: string) => ({ role_arn: roleArn });

  test('is not kept from it by a role that a vendor registered and never proved', async () => {
    const role = pending('arn:aws:iam::123456789012:role/house-role');
    const { connection_id: theirs } = await makeProducer('Squatter', guest);
    expect((await change(guest, 'connection.registerRole', theirs, role)).status).toBe(200);
    const { connection_id: ours } = await makeProducer('Signing');
    expect((await change(editor, 'connection.registerRole', ours, role)).status).toBe(200);
  });

  test("is refused to a vendor that wants to send as the house's app", async () => {
    await makeProducer('Teleprompter');
    const body = {
      kind: 'producer',
      app: 'Other',
      system_ids: ['Teleprompter'],
      grants: ['link.*'],
    };
    expect(told(await guest('connection.make', { body }))).toBe(
      '409 portal.declined: The system_id "Teleprompter" belongs to another app of this workspace.',
    );
  });

  test('that a vendor sends as comes back when the house has revoked that connection', async () => {
    const { connection_id: c } = await makeProducer('Autocue', guest);
    const body = { kind: 'producer', app: 'Autocue', grants: ['link.*'] };
    expect(told(await editor('connection.make', { body }))).toBe(
      `409 portal.declined: The system_id "Autocue" belongs to the app Autocue of a vendor: revoke its connection ${c} first.`,
    );
    await change(editor, 'connection.revoke', c);
    expect((await editor('connection.make', { body })).status).toBe(200);
    const again = await guest('connection.make', { body: { ...body, system_ids: ['Autocue'] } });
    expect(again.status).toBe(409);
  });
});

describe('an organisation', () => {
  test('is closed by its owner, who types its name; its connections end, and it is still seen', async () => {
    const { registry } = bus;
    const person = { issuer: 'local', subject: subject('closing'), name: 'Closing' };
    const { id: o } = await createOrganisation(registry, { name: 'Short Lived', tier: 'minimal' });
    await addMember(registry, { ...person, organisation: o, role: 'owner' });
    const made = await createWorkspace(registry, { name: 'Desk', organisation: o });
    if (made.kind !== 'workspace') throw new Error('There is no workspace.');
    const closing = portal.as('closing');
    const body = { kind: 'consumer', app: 'Reader', receives: ['*'] };
    const { body: issued } = await closing('connection.make', { subject: { w: made.id }, body });
    // It is not one of another workspace.
    const elsewhere = { w: made.id, c: portal.made.own };
    expect((await closing('connection.show', { subject: elsewhere })).status).toBe(404);
    const close = (confirm: string) =>
      closing('connection.closeOrganisation', { subject: { o }, body: { confirm } });
    expect((await close('Short lived')).status).toBe(400);
    expect((await owner('connection.closeOrganisation', { subject: { o } })).status).toBe(404);
    expect((await close('Short Lived')).status).toBe(200);
    expect(await tokenStatus(issued.connection_id, issued.client_secret)).toBe(401);
    const shown = await closing('organisation.show', { subject: { o } });
    expect(shown.body).toMatchObject({ status: 'revoked', may_close: false });
  });

  test('has the allowance that the operator gives it, with all its connections, within the most that anybody gets', async () => {
    const operator = portal.as('operator');
    const allot = (body: object) =>
      operator('operator.allot', { subject: { o: portal.made.vendor }, body });
    expect((await allot({ per_second: 201, burst: 400, per_day: 10 })).status).toBe(400);
    const quota = { per_second: 150, burst: 300, per_day: 9_000_000 };
    expect((await allot(quota)).body).toMatchObject({ left: [] });
    const { body } = await guest('connection.show', { subject: { c: portal.made.guest } });
    expect(body).toMatchObject({ quota, tier: 'custom' });
    expect((await allot({ tier: 'minimal' })).status).toBe(200);
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceHere } from '../../support/one-service.ts';

const bus = serviceHere();

/** Runs a command of the operator in this process; resolves with what it printed as JSON. */
const run = async (...args: readonly string[]) => {
  const { code, stderr, record } = await bus.run(...args);
  expect([args, code, stderr.replaceAll(/^note: .*\n/gm, '')]).toEqual([args, 0, '']);
  return record;
};

const file = (name: string, text: string): string => {
  const path = join(bus.data, name);
  writeFileSync(path, text);
  return path;
};

const skillsFile = `- skill_id: smart-stories/raise-flag-on-match
  instance_label: noted
  authority_scale: [x, y]
  values: {match_field: story_type, match_value: KILLED, flag_name: F, severity: flag, clearing_authority: x}
`;

/** Adds an issuer and a client of it, looks at them, and removes them. */
const issuers = async (workspace: string, producer: string): Promise<string> => {
  const scope = ['--workspace', workspace];
  const issuer = 'https://issuer.example';
  const named = [...scope, '--issuer', issuer];
  const client = [...named, '--client', 'x'];
  const jwks_uri = `${issuer}/keys`;
  const created_at = expect.stringMatching(/^\d{4}-/);
  const added = { issuer, jwks_uri, audience: 'bus', client_claim: 'azp', clients: [], created_at };
  const keys = ['--jwks-uri', jwks_uri, '--audience', 'bus'];
  expect(await run('idp', 'add', ...named, ...keys)).toEqual(added);
  const bound = { issuer, client: 'x', connection_id: producer, created_at };
  expect(await run('idp', 'bind', ...client, '--connection', producer)).toEqual(bound);
  expect(await run('idp', 'list', ...scope)).toEqual([{ ...added, clients: [`x=${producer}`] }]);
  const { connection_id: other } = await run(
    ...['connection', 'create', '--kind', 'producer', '--workspace', workspace, '--app', 'second'],
  );
  const kept = await bus.run('idp', 'bind', ...client, '--connection', other);
  expect([kept.code, kept.stderr]).toEqual([
    1,
    `refused: The client x acts for the connection ${producer}. To take it away from there, use --move.\n`,
  ]);
  const moved = { ...bound, connection_id: other };
  expect(await run('idp', 'bind', ...client, '--connection', other, '--move')).toEqual(moved);
  expect(await run('idp', 'bind', ...client, '--connection', other)).toEqual(moved);
  expect(await run('idp', 'unbind', ...client)).toEqual({ issuer, client: 'x', removed: true });
  expect((await bus.run('idp', 'unbind', ...client)).stderr).toBe(
    `refused: The client x of ${issuer} is not bound there.\n`,
  );
  expect(await run('idp', 'list', ...scope)).toEqual([added]);
  expect(await run('idp', 'remove', ...named)).toEqual({ issuer, removed: true });
  expect((await bus.run('idp', 'remove', ...named)).stderr).toBe(
    `refused: The issuer ${issuer} is not registered there.\n`,
  );
  expect(await run('idp', 'list', ...scope)).toEqual([]);
  return String(other);
};

test("every change by the operator's command line is recorded, with what it was about", async () => {
  const { organisation_id: org } = await run('org', 'create', '--name', 'Noted TV');
  const { workspace_id: w } = await run('workspace', 'create', '--name', 'Desk', '--org', org);
  const { app_id: app } = await run('app', 'create', '--name', 'idle', '--org', org);
  const made = (kind: string) =>
    run('connection', 'create', '--kind', kind, '--workspace', w, '--app', 'mam');
  const [{ connection_id: p }, { connection_id: c }] = [
    await made('producer'),
    await made('consumer'),
  ];
  await run('connection', 'permit', c, '--receive', 'link.*');
  await run('connection', 'pause', c);
  await run('connection', 'resume', c);
  await run('connection', 'secret', c, '--rotate', '--overlap', '90s');
  await run('connection', 'secret', c, '--revoke', 'previous');
  await run('connection', 'secret', c, '--issue', '--overlap', '1h');
  await run('quota', 'set', '--connection', c, '--tier', 'high');
  await run('quota', 'set', '--organisation', org, '--tier', 'minimal');
  const raised = await run(
    'quota',
    'raise',
    '--organisation',
    org,
    '--limit',
    'apps',
    '--to',
    '700',
  );
  expect(raised).toEqual({ limit: 'apps', of: 'organisation', id: org, max: 700 });
  const { registration_id: r } = (
    await run('skill', 'register', '--connection', c, '--file', file('skills.yaml', skillsFile))
  ).at(0);
  await run('skill', 'pause', r, '--connection', c);
  await run('skill', 'remove', r, '--connection', c);
  const { replay_id: replay } = await run(
    'replay',
    'start',
    '--connection',
    c,
    '--from',
    '2h',
    '--to',
    '1h',
  );
  const set = file('set.yaml', 'connections: {prompter: {producer: {}}}');
  const out = ['--out', join(bus.data, 'out.env')];
  const { connection_id: t } = (await run('connection', 'apply', set, '--workspace', w, ...out)).at(
    0,
  );
  const second = await issuers(w, p);
  const role = 'arn:aws:iam::123456789012:role/mam';
  const { principal_id: principal } = await run(
    'principal',
    'register',
    ...['--workspace', w, '--connection', p, '--role-arn', role],
  );
  await run('principal', 'revoke', principal, '--workspace', w);
  await run('connection', 'revoke', p, '--confirm', p);
  await run('app', 'revoke', app, '--confirm', app);
  const changes = await bus.registry.changes.of(org, { max: 100 });
  expect(changes.every(({ by }) => by === undefined)).toBe(true);
  const ofWorkspace = { workspace: w };
  const of = (connection: string, facts = {}) => ({ ...ofWorkspace, connection, ...facts });
  expect(changes.map(({ what, facts }) => [what, facts]).reverse()).toEqual([
    ['organisation.add', {}],
    ['workspace.add', ofWorkspace],
    ['app.add', { app }],
    ['connection.make', of(p, { kind: 'producer' })],
    ['connection.make', of(c, { kind: 'consumer' })],
    ['connection.permit', of(c, { changed: 'receives', receives: expect.any(String) })],
    ['connection.pause', of(c)],
    ['connection.resume', of(c)],
    ['secret.rotate', of(c, { overlap_seconds: '90' })],
    ['secret.end', of(c, { which: 'previous' })],
    ['secret.rotate', of(c, { overlap_seconds: '0' })],
    ['connection.quota', of(c, { quota: expect.stringContaining('/s, bursts of ') })],
    ['organisation.quota', { quota: expect.stringContaining('/s, bursts of ') }],
    ['organisation.limit', { limit: 'apps', of: 'organisation', max: '700' }],
    ['skill.register', of(c, { instances: 'noted' })],
    ['skill.pause', of(c, { instances: 'noted' })],
    ['skill.end', of(c, { instances: 'noted' })],
    ['replay.start', of(c, { replay, from: expect.any(String), to: expect.any(String) })],
    ['connection.make', of(t, { kind: 'producer' })],
    ['issuer.add', { ...ofWorkspace, issuer: 'https://issuer.example' }],
    ['client.bind', of(p, { issuer: 'https://issuer.example', client: 'x' })],
    ['connection.make', of(second, { kind: 'producer' })],
    ['client.unbind', of(p, { issuer: 'https://issuer.example', client: 'x' })],
    ['client.bind', of(second, { issuer: 'https://issuer.example', client: 'x' })],
    ['client.bind', of(second, { issuer: 'https://issuer.example', client: 'x' })],
    ['client.unbind', of(second, { issuer: 'https://issuer.example', client: 'x' })],
    ['issuer.remove', { ...ofWorkspace, issuer: 'https://issuer.example' }],
    ['role.register', of(p, { role })],
    ['role.end', of(p, { role })],
    ['connection.revoke', of(p)],
    ['app.revoke', { app }],
  ]);
});

test("a change of a vendor's connection is recorded for the vendor and for its host", async () => {
  const { organisation_id: host } = await run('org', 'create', '--name', 'Host TV');
  const { workspace_id: w } = await run('workspace', 'create', '--name', 'Desk', '--org', host);
  const { invitation } = await run(
    'invite',
    'vendor',
    w,
    '--kind',
    'producer',
    '--grant',
    'link.*',
  );
  const person = ['--subject', 'vera', '--new-vendor', 'Clips Ltd'];
  const { organisation_id: vendor } = await run('invite', 'accept', invitation, ...person);
  const { app_id: app } = await run('app', 'create', '--name', 'clips', '--org', vendor);
  const wanted = ['--kind', 'producer', '--workspace', w, '--app', app, '--grant', 'link.*'];
  const { connection_id: connection } = await run('connection', 'create', ...wanted);
  const made = { what: 'connection.make', facts: { workspace: w, connection, kind: 'producer' } };
  for (const organisation of [vendor, host])
    expect((await bus.registry.changes.of(organisation, { max: 1 }))[0]).toMatchObject(made);
  await run('invite', 'end', w, vendor, '--confirm', vendor);
  const ended = { what: 'vendor.end', facts: { workspace: w, vendor, revoked: '1' } };
  for (const organisation of [vendor, host])
    expect((await bus.registry.changes.of(organisation, { max: 1 }))[0]).toMatchObject(ended);
});

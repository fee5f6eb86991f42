import { sombus, sombusWith } from '../../support/commands.ts';
import { bearer, post } from '../../support/http-client.ts';
import { linkCommitted } from '../../support/messages.ts';
import { serviceHere } from '../../support/one-service.ts';

const bus = serviceHere();

const done = async (...args: readonly string[]) => {
  const { code, stderr, record } = await bus.run(...args);
  expect([args.join(' '), code, stderr]).toEqual([args.join(' '), 0, '']);
  return record;
};

test('an organisation from request to suspension, with its members and a vendor', async () => {
  const person = (name: string) => ['--subject', name];
  const { organisation_id: house } = await done(
    'org',
    'request',
    '--name',
    'North TV',
    ...person('nora'),
  );
  expect(await done('org', 'approve', house, '--tier', 'high')).toMatchObject({
    status: 'active',
    tier: 'high',
  });
  const { invitation } = await done('invite', 'member', house, '--role', 'editor');
  expect(await done('invite', 'accept', invitation, ...person('ed'))).toMatchObject({
    role: 'editor',
  });
  await done('invite', 'member', house);
  const [open] = await done('invite', 'list', house);
  const withdrawal = ['invite', 'withdraw', house, open.invitation_id];
  expect(await done(...withdrawal)).toMatchObject({ withdrawn: true });
  expect((await bus.run(...withdrawal)).stderr).toBe(
    `refused: The invitation ${open.invitation_id} is not open: it was used or withdrawn, or does not exist.\n`,
  );
  const again = await bus.run('invite', 'accept', invitation, ...person('eve'));
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('used before')]);
  const members = await done('member', 'list', house);
  expect(
    members.map(({ subject, role }: { subject: string; role: string }) => [subject, role]),
  ).toEqual([
    ['nora', 'owner'],
    ['ed', 'editor'],
  ]);
  await done('member', 'role', house, members[1].member_id, '--role', 'owner');
  await done('member', 'remove', house, members[0].member_id);
  const { workspace_id: workspace } = await done(
    'workspace',
    'create',
    '--name',
    'Desk',
    '--org',
    house,
  );
  const offer = await done(
    'invite',
    'vendor',
    workspace,
    '--kind',
    'producer',
    '--grant',
    'link.*',
  );
  const taking = ['accept', offer.invitation, ...person('vera'), '--new-vendor', 'Clips Ltd'];
  const vendor = await done('invite', ...taking);
  expect(vendor).toMatchObject({ workspace_id: workspace, grants: ['link.*'] });
  const end = ['invite', 'end', workspace, vendor.organisation_id];
  expect((await bus.run(...end)).stderr).toMatch(/^refused: .* would lose its place/);
  expect(await done(...end, '--confirm', vendor.organisation_id)).toMatchObject({
    revoked: 0,
  });
  expect(await done('org', 'suspend', house)).toMatchObject({ status: 'suspended' });
  expect(await done('org', 'resume', house)).toMatchObject({ status: 'active' });
  const { organisation_id: declined } = await done('org', 'request', '--name', 'X', ...person('x'));
  expect(await done('org', 'decline', declined)).toMatchObject({ status: 'declined' });
  expect(await done('member', 'operator', ...person('olga'))).toMatchObject({ is_operator: true });
});

test('sombus trace and sombus queue backlog tell where a message is', async () => {
  const message = linkCommitted();
  const authorization = await bearer(bus.base, bus.ready.producer);
  expect((await post(`${bus.tenant}/messages`, authorization, message)).status).toBe(202);
  const id = String(message['message_id']);
  const trace = async () => (await sombus('trace', id, '--data', bus.data)).stdout;
  expect(await trace()).toMatch(/accepted from c\w+ \(demo-ncs\)\nnow {2}c\w+: queued\n$/);
  const tail = ['tail', '--ack', '--once', '--data', bus.data];
  expect((await sombus('queue', 'backlog', '--json', '--data', bus.data)).stdout).toMatch(
    /"oldest_seconds":\d/,
  );
  await sombus(...tail);
  expect(await trace()).toMatch(
    /received by .*\n.*acknowledged by .*\nnow {2}c\w+: acknowledged\n$/,
  );
  const { stdout } = await sombus('queue', 'backlog', '--json', '--data', bus.data);
  expect(JSON.parse(stdout)).toMatchObject({
    visible: 0,
    in_flight: 0,
    oldest_seconds: null,
    blocked: [],
  });
  const { consumer } = bus.ready;
  const variables = {
    SOMBUS_CLIENT_ID: consumer.client_id,
    SOMBUS_CLIENT_SECRET: consumer.client_secret,
  };
  expect((await sombusWith(variables, 'trace', id, '--data', bus.data)).code).toBe(0);
  const unknown = await sombus('trace', '00000000-0000-4000-8000-000000000000', '--data', bus.data);
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    expect.stringContaining('message_id.unknown'),
  ]);
});

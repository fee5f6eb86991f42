import { envVars, signInVars } from '../../lib/contract/environments.ts';
import { portalErrors } from '../../lib/contract/portal/portal.ts';
import { objectsIn, textOf } from '../../lib/platform/json/value.ts';
import type { Mail } from '../../lib/portal/alerts/mail.ts';
import { invitationMail, letIn } from '../../lib/portal/letting-in.ts';
import { operatorPorts } from '../../lib/wiring/operator.ts';
import { FakeCognito, serveCognito } from '../support/fakes/cognito.ts';
import { type PortalService, startPortal } from './portal-service.ts';

const owner = { issuer: 'https://idp.example', subject: 'o', name: 'Olga' };
const pool = new FakeCognito({ Id: 'eu-west-1_people', Name: 'sombus-preview' }, () => Date.now());

let cognito: Awaited<ReturnType<typeof serveCognito>>;
let closed: PortalService;
let open: PortalService;

/** A house of `owner`, with a workspace. */
const houseIn = async ({ env }: PortalService) => {
  const { directory, members } = operatorPorts(env);
  const facts = { status: 'active', createdAt: '2026-05-04T09:00:00Z' } as const;
  await directory.add({
    ...facts,
    kind: 'organisation',
    id: 'o1',
    name: 'West TV',
    type: 'house',
    tier: 'minimal',
  });
  await directory.add({ ...facts, kind: 'workspace', id: 'w1', name: 'Desk', organisation: 'o1' });
  await members.put({ ...owner, organisation: 'o1', role: 'owner', since: facts.createdAt });
};

beforeAll(async () => {
  cognito = await serveCognito(pool);
  const people = {
    [signInVars.userPool]: 'eu-west-1_people',
    AWS_ENDPOINT_URL_COGNITO_IDP: cognito.url,
  };
  closed = await startPortal({ more: { ...people, [envVars.environment]: 'preview' } });
  open = await startPortal({ more: people });
  await houseIn(closed);
  await houseIn(open);
});
afterAll(async () => {
  await Promise.all([closed.close(), open.close(), cognito.close()]);
});

const invite = (portal: PortalService, email?: string) =>
  portal.call('organisation.inviteMember', {
    person: owner,
    subject: { o: 'o1' },
    body: { role: 'editor', ...(email === undefined ? {} : { email }) },
  });

describe('an invitation where people cannot sign up', () => {
  test('makes an account for its address, once', async () => {
    expect(await invite(closed, 'new@example.org')).toMatchObject({
      status: 200,
      body: { invitation: expect.stringMatching(/^sbi_/), account: 'mailed' },
    });
    expect(pool.users.get('new@example.org')).toMatchObject({ verified: 'true' });
    expect(await invite(closed, 'new@example.org')).toMatchObject({ body: { account: 'known' } });
    expect(pool.mailed).toEqual(['new@example.org']);
  });

  test('also invites a vendor so', async () => {
    const terms = { kinds: ['producer'], grants: ['link.*'], receives: [] };
    const made = await closed.call('workspace.inviteVendor', {
      person: owner,
      subject: { w: 'w1' },
      body: { ...terms, email: 'vendor@example.org' },
    });
    expect(made).toMatchObject({ status: 200, body: { account: 'mailed' } });
    expect(pool.users.has('vendor@example.org')).toBe(true);
  });

  test('says so if it is for nobody in particular', async () => {
    expect(await invite(closed)).toMatchObject({ status: 200, body: { account: 'none' } });
  });

  test('stays, and names the problem, if no account can be made', async () => {
    pool.refuse('AdminCreateUser');
    const made = await invite(closed, 'later@example.org');
    pool.refuse(undefined);
    expect(made).toMatchObject({
      status: 200,
      body: {
        invitation: expect.stringMatching(/^sbi_/),
        account: 'failed',
        problem: 'LimitExceededException',
      },
    });
  });

  test('makes none for an address that is none', async () => {
    const refused = await invite(closed, 'anna');
    expect(refused.status).toBe(portalErrors['portal.declined'].status);
    expect(pool.users.has('anna')).toBe(false);
  });
});

test('where people sign up themselves, an invitation makes no account', async () => {
  const { status, body } = await invite(open, 'self@example.org');
  expect([status, 'account' in body]).toEqual([200, false]);
  expect(pool.users.has('self@example.org')).toBe(false);
});

describe('the mail with the link', () => {
  const facts = {
    house: 'West TV',
    link: 'https://portal.example/join#sbi_x',
    until: '2026-05-11T09:00:00Z',
  };
  const sent: Mail[] = [];
  const ports = (problem?: string) => ({
    accounts: { isOn: true, ensure: async () => 'mailed' as const },
    mails: {
      isOn: true,
      send: async (mail: Mail) => {
        sent.push(mail);
        return problem === undefined ? {} : { problem };
      },
    },
  });

  test('goes to whoever gets an account, if the bus can send mails', async () => {
    const email = 'anna@example.org';
    expect(await letIn(ports(), { ...facts, email, now: 0 })).toEqual({ account: 'link_mailed' });
    expect(sent).toEqual([invitationMail(email, facts)]);
    expect(sent[0]?.text).toContain(`\n${facts.link}\n`);
    expect(sent[0]?.subject).toBe('[som-bus] West TV invites you');
  });

  test('leaves the link to the inviter if it cannot be sent', async () => {
    const email = 'anna@example.org';
    const account = await letIn(ports('refused'), { ...facts, email, now: 0 });
    expect(account).toEqual({ account: 'mailed' });
  });
});

test('the operator is told who asks for an organisation and why, until it is decided', async () => {
  const operator = { issuer: 'https://idp.example', subject: 'op', name: 'Odo' };
  await operatorPorts(open.env).members.setOperator(operator, true);
  const asker = {
    issuer: 'https://idp.example',
    subject: 'new',
    name: 'Nia',
    email: 'nia@tv.example',
  };
  const body = { name: 'East TV', type: 'house', reason: 'A trial of two systems in May.' };
  const asked = await open.call('organisation.request', { person: asker, subject: {}, body });
  expect(asked).toMatchObject({ status: 200, body: { name: 'East TV' } });
  const o = textOf(asked.body, 'organisation_id');
  const toldNow = async () => {
    const told = await open.call('operator.organisations', { person: operator, subject: {} });
    return objectsIn(told.body['organisations']).find(one => textOf(one, 'organisation_id') === o);
  };
  expect(await toldNow()).toMatchObject({
    asked_by: { name: 'Nia', email: 'nia@tv.example' },
    reason: 'A trial of two systems in May.',
  });
  await open.call('operator.approve', {
    person: operator,
    subject: { o },
    body: { tier: 'minimal' },
  });
  const decided = await toldNow();
  expect(decided).toMatchObject({ status: 'active' });
  expect(decided).not.toHaveProperty('asked_by');
  expect(decided).not.toHaveProperty('reason');
});

import { awsChanges } from '../../../lib/access/people/changes.dynamodb.ts';
import { awsDirectory } from '../../../lib/access/people/directory.dynamodb.ts';
import { awsMembers } from '../../../lib/access/people/members.dynamodb.ts';
import { personKey } from '../../../lib/access/people/members.ts';
import { sombus } from '../../support/commands.ts';
import { FakeCognito, serveCognito } from '../../support/fakes/cognito.ts';
import { previewHere } from '../../support/preview.ts';
import { type Reply, scriptedServer } from '../../support/scripted-server.ts';

const preview = previewHere();
const issuer = 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_people';
const since = '2026-05-04T09:00:00Z';

/** What STS answers (API reference, "GetCallerIdentity"). */
const callerIs =
  (arn: string): Reply =>
  response =>
    response.writeHead(200, { 'content-type': 'text/xml' }).end(
      `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
         <GetCallerIdentityResult><Arn>${arn}</Arn><Account>123456789012</Account></GetCallerIdentityResult>
       </GetCallerIdentityResponse>`,
    );
const arn = 'arn:aws:sts::123456789012:assumed-role/Operator/olga';

let pool: FakeCognito;
let cognito: Awaited<ReturnType<typeof serveCognito>>;
let sts: Awaited<ReturnType<typeof scriptedServer>>;
let people = 0;

beforeAll(async () => {
  pool = new FakeCognito({ Id: 'eu-west-1_people', Name: 'sombus-preview' }, () => Date.now());
  cognito = await serveCognito(pool);
  sts = await scriptedServer({ '/': [callerIs(arn)] });
  process.env['AWS_ENDPOINT_URL_COGNITO_IDP'] = cognito.url;
  process.env['AWS_ENDPOINT_URL_STS'] = new URL(sts.baseUrl).origin;
});
afterAll(async () => {
  await Promise.all([cognito.close(), sts.close()]);
});

const members = () => awsMembers(preview.registry());

const person = async (email: string, ...options: readonly string[]) => {
  const args = ['--environment', 'preview', '--data', 'x', '--email', email, '--json'];
  const { code, stdout, stderr } = await sombus('aws', 'person', ...args, ...options);
  return { code, record: JSON.parse(stdout || '{}'), error: stderr };
};

/** Somebody with an account, who has signed in. */
const signedIn = async () => {
  people += 1;
  const email = `p${people}@example.org`;
  await person(email);
  const user = pool.users.get(email);
  if (!user) throw new Error(`There is no account of ${email}.`);
  user.UserStatus = 'CONFIRMED';
  return { email, user, identity: { issuer, subject: user.sub } };
};

/** An organisation of somebody's. */
const ownedBy = async (owner: Awaited<ReturnType<typeof signedIn>>, id: string) => {
  const requestedBy = { ...owner.identity, name: 'Anna', email: owner.email };
  await awsDirectory(preview.registry()).add({
    kind: 'organisation',
    id,
    name: id,
    type: 'house',
    tier: 'minimal',
    status: 'active',
    createdAt: since,
    requestedBy,
  });
  await members().put({ ...requestedBy, organisation: id, role: 'owner', since });
};

describe('sombus aws person', () => {
  test('makes an account, mails its password, and then only shows it', async () => {
    const email = 'new@example.org';
    const made = { email, issuer, subject: expect.stringMatching(/^sub-/), status: 'invited' };
    expect(await person(email)).toMatchObject({ code: 0, record: { ...made, mailed: true } });
    expect(await person(email)).toMatchObject({ code: 0, record: { ...made, mailed: false } });
    expect(pool.mailed.filter(one => one === email)).toHaveLength(1);
  });

  test('--resend mails another password, and only to somebody who has never signed in', async () => {
    const email = 'late@example.org';
    await person(email);
    expect(await person(email, '--resend')).toMatchObject({ code: 0, record: { mailed: true } });
    expect(pool.mailed.filter(one => one === email)).toHaveLength(2);
    const { email: other } = await signedIn();
    const refused = { code: 1, error: expect.stringContaining('Forgot your password?') };
    expect(await person(other, '--resend')).toMatchObject(refused);
  });

  test('--disable and --enable close and open an account', async () => {
    const { email } = await signedIn();
    expect(await person(email, '--disable')).toMatchObject({ record: { status: 'disabled' } });
    expect(pool.users.get(email)?.Enabled).toBe(false);
    expect(await person(email, '--enable')).toMatchObject({ record: { status: 'active' } });
    expect(pool.users.get(email)?.Enabled).toBe(true);
  });

  test('says that there is no account to change, and takes one option at a time', async () => {
    expect(await person('nobody@example.org', '--disable')).toMatchObject({
      code: 1,
      error: expect.stringContaining('no account nobody@example.org'),
    });
    const both = await person('nobody@example.org', '--disable', '--enable');
    expect(both).toMatchObject({ code: 2, error: expect.stringContaining('only one') });
  });
});

describe('sombus aws person --reset-mfa', () => {
  test('makes the account anew, and the new one has all places of the old one', async () => {
    const owner = await signedIn();
    await ownedBy(owner, 'oreset');
    await members().setOperator(owner.identity, true);
    const { code, record } = await person(owner.email, '--reset-mfa');
    expect([code, record]).toMatchObject([
      0,
      { email: owner.email, status: 'invited', organisations: ['oreset'], is_operator: true },
    ]);
    expect(record.subject).not.toBe(owner.user.sub);
    const fresh = { issuer, subject: record.subject };
    const roles = [{ organisation: 'oreset', role: 'owner' }];
    expect(await members().affiliationOf(fresh)).toEqual({ roles, isOperator: true });
    expect(await members().affiliationOf(owner.identity)).toEqual({ roles: [], isOperator: false });
  });

  test('that is interrupted says how to go on, and that works', async () => {
    const owner = await signedIn();
    await ownedBy(owner, 'ohalf');
    pool.refuse('AdminCreateUser');
    const { code, error } = await person(owner.email, '--reset-mfa');
    pool.refuse(undefined);
    expect([code, error]).toEqual([1, expect.stringContaining(`${owner.user.sub} of`)]);
    expect(error).toContain(`sombus aws person --environment preview --email ${owner.email}`);
    const { record } = await person(owner.email);
    const move = ['--environment', 'preview', '--data', 'x', '--from-issuer', issuer];
    const of = ['--from-subject', owner.user.sub, '--issuer', issuer, '--subject', record.subject];
    expect(await sombus('member', 'move', ...move, ...of)).toMatchObject({ code: 0 });
    const fresh = { issuer, subject: record.subject };
    expect((await members().affiliationOf(fresh)).roles).toEqual([
      { organisation: 'ohalf', role: 'owner' },
    ]);
  });

  test('does nothing for an account that is disabled', async () => {
    const { email, user } = await signedIn();
    await person(email, '--disable');
    expect(await person(email, '--reset-mfa')).toMatchObject({ code: 1 });
    expect(pool.users.get(email)).toBe(user);
  });
});

describe('sombus aws person --erase', () => {
  const changesOf = (organisation: string) =>
    awsChanges(
      { ...preview.registry(), name: 'sombus-preview-activity' },
      { random: size => new Uint8Array(size) },
    ).of(organisation, { max: 50 });

  const noteBy = async (author: { readonly issuer: string; readonly subject: string }) =>
    awsChanges(
      { ...preview.registry(), name: 'sombus-preview-activity' },
      { random: size => new Uint8Array(size).fill(people) },
    ).note({
      organisation: 'oerase',
      at: Date.now(),
      by: { ...author, name: 'Anna' },
      what: 'workspace.add',
      facts: {},
    });

  test('ends account and places, and leaves no name in the record of changes', async () => {
    const first = await signedIn();
    const second = await signedIn();
    await ownedBy(first, 'oerase');
    const other = { ...second.identity, name: 'Bo', organisation: 'oerase', since };
    await members().put({ ...other, role: 'owner' });
    await noteBy(first.identity);
    expect(await person(first.email, '--erase')).toMatchObject({
      code: 0,
      record: { email: first.email, organisations: ['oerase'], erased_in: 2 },
    });
    expect(pool.users.has(first.email)).toBe(false);
    expect((await members().ofOrganisation('oerase')).map(({ name }) => name)).toEqual(['Bo']);
    const authors = (await changesOf('oerase')).map(({ what, by }) => [what, by?.name]);
    expect(authors).toContainEqual(['workspace.add', 'a person who was erased']);
    expect(JSON.stringify(authors)).not.toContain('Anna');
    const house = await awsDirectory(preview.registry()).find('organisation', 'oerase');
    expect(house).not.toHaveProperty('requestedBy');
  });

  test('does nothing to the last owner of an organisation', async () => {
    const owner = await signedIn();
    await ownedBy(owner, 'olast');
    expect(await person(owner.email, '--erase')).toMatchObject({
      code: 1,
      error: expect.stringContaining('make another member owner first'),
    });
    expect(pool.users.has(owner.email)).toBe(true);
  });

  test('what the operator changes carries the name that AWS gives them', async () => {
    const owner = await signedIn();
    await ownedBy(owner, 'onamed');
    await person(owner.email, '--reset-mfa');
    const [change] = await changesOf('onamed');
    expect(change).toMatchObject({
      what: 'member.move',
      by: {
        issuer: 'sts.amazonaws.com',
        subject: arn,
        name: 'operator assumed-role/Operator/olga',
      },
      facts: { from: personKey(owner.identity) },
    });
  });
});

import { awsCaller } from '../../../lib/access/trust/caller.sts.ts';
import { type Reply, scriptedServer } from '../../support/scripted-server.ts';

/** What STS answers (API reference, "GetCallerIdentity"). */
const callerIs =
  (arn: string): Reply =>
  response =>
    response.writeHead(200, { 'content-type': 'text/xml' }).end(
      `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
         <GetCallerIdentityResult><Arn>${arn}</Arn></GetCallerIdentityResult>
       </GetCallerIdentityResponse>`,
    );

const denied: Reply = response => response.writeHead(403).end('<ErrorResponse/>');

/** Whom a shell's credentials name if it is asked three times, and how often STS was. */
const asked = async (reply: Reply) => {
  const sts = await scriptedServer({ '/': [reply] });
  const caller = awsCaller({ AWS_ENDPOINT_URL_STS: new URL(sts.baseUrl).origin });
  const first = await caller();
  await caller();
  await caller();
  await sts.close();
  return [first, sts.count('/')];
};

test.each([
  ['arn:aws:sts::123456789012:assumed-role/Operator/olga', 'assumed-role/Operator/olga'],
  ['arn:aws:iam::123456789012:user/anna', 'user/anna'],
  ['arn:aws:iam::123456789012:user/desk:anna', 'user/desk:anna'],
])('the credentials of %s are those of operator %s, asked once', async (arn, name) => {
  const person = { issuer: 'sts.amazonaws.com', subject: arn, name: `operator ${name}` };
  expect(await asked(callerIs(arn))).toEqual([person, 1]);
});

test('nobody is known where AWS does not say, which is asked once too', async () => {
  expect(await asked(denied)).toEqual([undefined, 1]);
});

import { cognitoAccounts } from '../../access/people/accounts.cognito.ts';
import type { Accounts, PoolAccount } from '../../access/people/accounts.ts';
import { type NamedPerson, personKey, removeMember } from '../../access/people/members.ts';
import { type EnvironmentName, resourceNames } from '../../contract/environments.ts';
import { defined } from '../../contract/outside.ts';
import { errorMessage } from '../../local/engines/machine.ts';
import { objectsIn } from '../../platform/json/value.ts';
import type { OperatorPorts } from '../../wiring/operator.ts';
import { type CommandRun, command } from '../frame/command.ts';
import { accepted, CommandRefused, found } from '../frame/failures.ts';
import { deployedOptions, flag, matching, required } from '../frame/options.ts';
import { movePlaces } from '../frame/people.ts';
import { type CallService, serviceOf } from './aws-account.ts';

/** @throws CommandRefused if people sign in with somebody else's issuer, or nothing is deployed */
const poolOf = async (call: CallService, environment: EnvironmentName): Promise<string> => {
  const { stack } = resourceNames(environment);
  for (let NextToken: unknown; ; ) {
    const page = await call('ListUserPools', { MaxResults: 60, ...defined({ NextToken }) });
    const pool = objectsIn(page['UserPools']).find(({ Name }) => Name === stack);
    if (pool) return String(pool['Id']);
    NextToken = page['NextToken'];
    if (!NextToken)
      throw new CommandRefused(
        `There is no user pool ${stack} in this account and region. If people sign in with an ` +
          'issuer of yours, make and end accounts there, and use sombus member operator ' +
          '--issuer … --subject ….',
      );
  }
};

/** The accounts of an environment's user pool, and what memberships call its issuer. */
interface People {
  readonly accounts: Accounts;
  readonly issuer: string;
}

/**
 * The issuer is not at the domain of the login pages (Cognito: "Verifying JSON web tokens").
 */
const peopleOf = async (environment: EnvironmentName): Promise<People> => {
  const { call, region } = serviceOf(process.env, 'cognito-idp');
  const pool = await poolOf(call, environment);
  const place = await region();
  const suffix = place.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return {
    accounts: cognitoAccounts(call, pool),
    issuer: `https://cognito-idp.${place}.${suffix}/${pool}`,
  };
};

const personOf = ({ issuer }: People, { subject, email }: PoolAccount): NamedPerson => ({
  issuer,
  subject,
  name: email,
  email,
});

/** @throws CommandRefused if whoever signed up may be somebody else */
const confirmed = (account: PoolAccount): PoolAccount => {
  if (account.isConfirmed) return account;
  throw new CommandRefused(
    `${account.email} has an account, but its address was never confirmed: confirm it first.`,
  );
};

/** The account of an address, made if there is none. */
const accountFor = async ({ accounts }: People, email: string) => {
  const made = await accounts.make(email);
  if (made) return { account: made, isNew: true };
  const account = found(await accounts.find(email), 'account', email);
  return { account: confirmed(account), isNew: false };
};

const emailOption = (description: string) =>
  required(
    '--email <address>',
    description,
    matching(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'It is no email address.'),
  );

/** The way into the portal of a new environment. */
export const firstOperator = command({
  usage: 'first-operator',
  description:
    'invite a person into the user pool of an environment, and let them act as its operator',
  target: 'folder',
  options: {
    ...deployedOptions,
    email: emailOption('where the invitation goes, with a password for the first sign-in'),
  },
  async run({ ports, options: { environment, email } }) {
    const people = await peopleOf(environment);
    const { account, isNew } = await accountFor(people, email);
    const operator = personOf(people, account);
    await ports.members.setOperator(operator, true);
    return { ...operator, is_operator: true, invited: isNew };
  },
});

/** What one run of the command works with. */
interface Work {
  readonly people: People;
  readonly ports: OperatorPorts;
  readonly notes: CommandRun['notes'];
  readonly environment: EnvironmentName;
}

type Act = (work: Work, email: string) => Promise<object>;

const recordOf = (people: People, account: PoolAccount) => ({
  email: account.email,
  issuer: people.issuer,
  subject: account.subject,
  status: account.status,
});

const existing = async ({ people }: Work, email: string): Promise<PoolAccount> =>
  confirmed(found(await people.accounts.find(email), 'account', email));

const show: Act = async ({ people }, email) => {
  const { account, isNew } = await accountFor(people, email);
  return { ...recordOf(people, account), mailed: isNew };
};

const resend: Act = async (work, email) => {
  const account = await existing(work, email);
  if (account.status !== 'invited')
    throw new CommandRefused(
      `${email} has signed in before (${account.status}): whoever forgot the password uses ` +
        '"Forgot your password?" of the sign-in page.',
    );
  await work.people.accounts.mailAgain(email);
  return { ...recordOf(work.people, account), mailed: true };
};

/**
 * Cognito cannot take an authenticator app from an account of a pool that requires one:
 * AdminSetUserMFAPreference answers 200 and changes nothing. So the account is made anew.
 */
const resetMfa: Act = async (work, email) => {
  const { people, environment } = work;
  const before = await existing(work, email);
  if (before.status === 'disabled')
    throw new CommandRefused(`The account of ${email} is disabled: enable it first.`);
  const from = personOf(people, before);
  let step = `sombus aws person --environment ${environment} --email ${email}`;
  await people.accounts.remove(email);
  try {
    const account = found(await people.accounts.make(email), 'new account', email);
    const to = personOf(people, account);
    step =
      `sombus member move --environment ${environment} --from-issuer ${from.issuer} ` +
      `--from-subject ${from.subject} --issuer ${to.issuer} --subject ${to.subject} --email ` +
      `${email}`;
    const moved = await movePlaces(work, from, to);
    return { ...recordOf(people, account), ...moved, mailed: true };
  } catch (error) {
    throw new CommandRefused(errorMessage(error), [
      `The account ${from.subject} of ${email} is gone. Go on with: ${step}`,
    ]);
  }
};

const setEnabled =
  (isEnabled: boolean): Act =>
  async (work, email) => {
    const account = await existing(work, email);
    await work.people.accounts.setEnabled(email, isEnabled);
    return { ...recordOf(work.people, account), status: isEnabled ? 'active' : 'disabled' };
  };

/** Forgets who somebody is, wherever the bus has noted it. */
const erase: Act = async (work, email) => {
  const { people, ports, notes } = work;
  const account = await existing(work, email);
  const person = personOf(people, account);
  const key = personKey(person);
  const { roles } = await ports.members.affiliationOf(person);
  const organisations = roles.map(({ organisation }) => organisation);
  for (const organisation of organisations) {
    accepted(await removeMember(ports, { organisation, key }));
    await notes.change({ organisation, what: 'member.remove', facts: { member: key } });
  }
  await ports.erasure.ofPerson(person);
  let places = 0;
  // Vendors' people change things of houses, operators of everybody.
  for (const { id } of await ports.directory.list('organisation'))
    places += await ports.erasure.inOrganisation(id, person);
  await people.accounts.remove(email);
  return { email, organisations, erased_in: places };
};

const acts = { resend, resetMfa, disable: setEnabled(false), enable: setEnabled(true), erase };

/** Somebody's account, for the operator of an environment. */
export const person = command({
  usage: 'person',
  description: "make a person's account in the user pool of an environment, or change it",
  target: 'folder',
  options: {
    ...deployedOptions,
    email: emailOption(
      'whose account; without another option it is shown, and made if there is none',
    ),
    resend: flag('--resend', 'mail another password to somebody who has never signed in'),
    resetMfa: flag(
      '--reset-mfa',
      'make the account anew: the phone with the authenticator app is lost',
    ),
    disable: flag('--disable', 'let the person sign in no more'),
    enable: flag('--enable', 'let the person sign in again'),
    erase: flag('--erase', 'end the account and all memberships, and forget the name'),
  },
  async run({ ports, notes, options, misused }) {
    const { environment, email } = options;
    const chosen = (Object.keys(acts) as (keyof typeof acts)[]).filter(name => options[name]);
    const [name, ...more] = chosen;
    if (more.length > 0) return misused('of these options, only one may be given at a time.');
    const act = name === undefined ? show : acts[name];
    return act({ people: await peopleOf(environment), ports, notes, environment }, email);
  },
});

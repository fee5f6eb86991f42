import { cognitoAccounts } from '../../../lib/access/people/accounts.cognito.ts';
import { accountMaker } from '../../../lib/access/people/accounts.ts';
import { daySeconds } from '../../../lib/contract/limits.ts';
import { FakeCognito } from '../../support/fakes/cognito.ts';

const anna = 'anna@example.org';
const begun = Date.parse('2026-05-04T09:00:00Z');

/** Accounts of an empty pool, at a time that tests set. */
const scene = () => {
  const time = { now: begun };
  const pool = new FakeCognito({ Id: 'p', Name: 'sombus-preview' }, () => time.now);
  const call = async (operation: string, input: object) => {
    const [status, body] = pool.answer(operation, { ...input } as Record<string, string>);
    if (status === 200) return body;
    const { __type: name, message } = body as { readonly __type: string; readonly message: string };
    throw Object.assign(new Error(message), { name });
  };
  const accounts = cognitoAccounts(call, 'p');
  return { time, pool, accounts, maker: accountMaker(accounts) };
};

describe('the accounts of a user pool', () => {
  test('are made once, with a mail, and known by their sub', async () => {
    const { accounts, pool } = scene();
    const made = {
      subject: 'sub-1',
      email: anna,
      isConfirmed: true,
      status: 'invited',
      changedAt: begun,
    };
    expect(await accounts.make(anna)).toEqual(made);
    expect(await accounts.make(anna)).toBeUndefined();
    expect(await accounts.find(anna)).toEqual(made);
    expect(pool.mailed).toEqual([anna]);
  });

  test('nobody has an account without one', async () => {
    expect(await scene().accounts.find(anna)).toBeUndefined();
  });

  test('can be disabled, enabled again and removed', async () => {
    const { accounts, pool } = scene();
    await accounts.make(anna);
    await accounts.setEnabled(anna, false);
    expect(await accounts.find(anna)).toMatchObject({ status: 'disabled' });
    await accounts.setEnabled(anna, true);
    expect(await accounts.find(anna)).toMatchObject({ status: 'invited' });
    await accounts.remove(anna);
    expect(pool.users.size).toBe(0);
  });

  test('an error that is about something else is thrown', async () => {
    const { accounts, pool } = scene();
    pool.refuse('AdminCreateUser');
    await expect(accounts.make(anna)).rejects.toThrow('over its limit');
  });
});

describe('an account for whoever is invited', () => {
  test('is made, and mailed once while the password of the mail is valid', async () => {
    const { maker, pool, time } = scene();
    expect(await maker.ensure(anna, time.now)).toBe('mailed');
    time.now += 7 * daySeconds * 1000 - 1;
    expect(await maker.ensure(anna, time.now)).toBe('known');
    expect(pool.mailed).toEqual([anna]);
  });

  test('is mailed again when that password is over: an invitation is not in vain', async () => {
    const { maker, pool, time } = scene();
    await maker.ensure(anna, time.now);
    time.now += 7 * daySeconds * 1000;
    expect(await maker.ensure(anna, time.now)).toBe('mailed');
    expect(await maker.ensure(anna, time.now)).toBe('known');
    expect(pool.mailed).toEqual([anna, anna]);
  });

  test('is left alone if the person has signed in before', async () => {
    const { maker, pool, time } = scene();
    await maker.ensure(anna, time.now);
    const user = pool.users.get(anna);
    if (!user) throw new Error('The pool has no such user.');
    user.UserStatus = 'CONFIRMED';
    time.now += 30 * daySeconds * 1000;
    expect(await maker.ensure(anna, time.now)).toBe('known');
    expect(pool.mailed).toEqual([anna]);
  });
});

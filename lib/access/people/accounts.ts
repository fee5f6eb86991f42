import { limits } from '../../contract/limits.ts';

/** An account in the user pool of an environment: what somebody signs in with. */
export interface PoolAccount {
  /** The name under which memberships know the person (`sub`). */
  readonly subject: string;
  readonly email: string;
  readonly isConfirmed: boolean;
  /** `invited`: waits for the first sign-in, with a password that was mailed. */
  readonly status: 'active' | 'invited' | 'disabled';
  /** When the account, or the password that was mailed, was last changed; epoch milliseconds. */
  readonly changedAt: number;
}

/** The accounts of a user pool, by their addresses. */
export interface Accounts {
  find(email: string): Promise<PoolAccount | undefined>;
  /** Mails a password for the first sign-in. Undefined: the address has an account already. */
  make(email: string): Promise<PoolAccount | undefined>;
  /** Mails another password to somebody who has never signed in. */
  mailAgain(email: string): Promise<void>;
  setEnabled(email: string, isEnabled: boolean): Promise<void>;
  remove(email: string): Promise<void>;
}

/** Gives accounts to those who are invited. */
export interface AccountMaker {
  /** False: people make their accounts themselves, or elsewhere. */
  readonly isOn: boolean;
  /** `mailed`: a password is under way; `known`: the address has an account already. */
  ensure(email: string, now: number): Promise<'mailed' | 'known'>;
}

/**
 * Makes an account, or mails another password if the one that was mailed is no longer valid. Nobody
 * else gets a mail: an invitation cannot be used to send many.
 */
const ensureAccount = async (
  accounts: Accounts,
  email: string,
  now: number,
): Promise<'mailed' | 'known'> => {
  if (await accounts.make(email)) return 'mailed';
  const account = await accounts.find(email);
  const isWaiting = account?.status === 'invited';
  // The mailed password is valid for as long as an invitation.
  if (!isWaiting || now < account.changedAt + limits.invitationSeconds * 1000) return 'known';
  await accounts.mailAgain(email);
  return 'mailed';
};

/** @param accounts undefined: those of the environment are not made by invitations */
export const accountMaker = (accounts: Accounts | undefined): AccountMaker => ({
  isOn: accounts !== undefined,
  async ensure(email, now) {
    if (!accounts) throw new Error('No accounts are made here.');
    return ensureAccount(accounts, email, now);
  },
});

import type { AccountResponse } from '../contract/portal/portal-responses.ts';
import type { Mail } from './alerts/mail.ts';
import type { PortalPorts } from './ports.ts';

/** An invitation that was made, as its mail tells it. */
interface InvitationFacts {
  readonly email?: string;
  /** Who invites: the name of an organisation. */
  readonly house: string;
  readonly link: string;
  /** RFC 3339. */
  readonly until: string;
}

/** The mail beside that of the user pool, which brings the password. */
export const invitationMail = (
  email: string,
  { house, link, until }: Omit<InvitationFacts, 'email'>,
): Mail => ({
  to: email,
  subject: `[som-bus] ${house} invites you`,
  text: [
    `${house} invites you to som-bus. The invitation is valid until ${until}, and works once:`,
    '',
    link,
    '',
    'Another e-mail brings a password for your first sign-in. Sign in with this address: you then',
    'choose a password of your own, and set up an authenticator app.',
    '',
  ].join('\n'),
});

/**
 * Gives whoever is invited an account, where nobody can make one for themselves. An invitation that
 * was made stays, whatever becomes of the account.
 */
export const letIn = async (
  { accounts, mails }: Pick<PortalPorts, 'accounts' | 'mails'>,
  { email, now, ...facts }: InvitationFacts & { now: number },
): Promise<AccountResponse> => {
  if (!accounts.isOn) return {};
  if (email === undefined) return { account: 'none' };
  try {
    const made = await accounts.ensure(email, now);
    if (made === 'known') return { account: 'known' };
  } catch (error) {
    return { account: 'failed', problem: error instanceof Error ? error.name : 'no name' };
  }
  const { problem } = mails.isOn
    ? await mails.send(invitationMail(email, facts))
    : { problem: 'this bus sends no mail' };
  return { account: problem === undefined ? 'link_mailed' : 'mailed' };
};

import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { againAfter, call, isSignedOut, type Reply } from './call.ts';
import { cell, derived } from './cell.ts';
import { urlBelow } from './location.ts';

/** Who is signed in, and where that person belongs; undefined until the service has answered. */
export const session = cell<Reply<ResponseOf<'sign.session'>> | undefined>(undefined);

const signedIn = derived([session], () =>
  session.value?.kind === 'ok' ? session.value.value : undefined,
);

/** The person in front of the page; undefined while nobody is known. */
export const person = derived([signedIn], () => signedIn.value?.person);

export const isOperator = derived([signedIn], () => signedIn.value?.is_operator ?? false);

/** Asks who is signed in. */
export const loadSession = async (): Promise<void> => {
  const reply = await call('sign.session');
  // Whoever has lost a session keeps the page: what was typed there would be lost with it.
  if (reply.kind === 'signed out' && person.value) return;
  isSignedOut.value = reply.kind === 'signed out';
  session.value = reply;
  const pause = againAfter(reply);
  if (pause !== undefined) setTimeout(() => void loadSession(), pause);
};

/** Where signing in begins; it leads back to a page of the portal. */
export const signInUrl = (to: string): string =>
  urlBelow(`/api/sign/in?to=${encodeURIComponent(to)}`);

/** Ends the session, and leaves the page for the place where the provider's session ends. */
export const signOut = async (): Promise<Reply<ResponseOf<'sign.out'>>> => {
  const reply = await call('sign.out');
  if (reply.kind === 'ok') location.assign(reply.value.continue_at);
  return reply;
};

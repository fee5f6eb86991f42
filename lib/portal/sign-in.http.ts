import { limits } from '../contract/limits.ts';
import { portalPages } from '../contract/portal-pages.ts';
import type { HttpRequest } from '../http/request.ts';
import type { EdgeSettings } from '../http/respond.ts';
import {
  cookie,
  cookieValue,
  ownUrl,
  portalRefusal,
  portalResponse,
  type Reply,
  redirect,
} from './browser.http.ts';
import type { Call, CallHandler, CallService } from './calls.http.ts';
import { sessionHash, startSession } from './session.ts';
import { attemptText, newAttempt, readAttempt } from './sign-in.ts';

const redirectUri = (request: HttpRequest, settings: EdgeSettings): string =>
  `${ownUrl(request, settings)}/api/sign/back`;

const sessionOf = (request: HttpRequest, settings: EdgeSettings): string | undefined =>
  sessionHash(cookieValue('session', request, settings) ?? '');

const ended = (name: 'session' | 'attempt', settings: EdgeSettings): string =>
  cookie(name, { value: '', seconds: 0 }, settings);

/** `GET /api/sign/in`: `key` is a one-time key of the local service, which travels as a hint; `to` is the page to land on. */
const signIn: CallHandler<'sign.in'> = async (ports, { request, settings }) => {
  const { key, to = '/' } = request.query;
  const attempt = newAttempt(ports, { to, replaces: sessionOf(request, settings) });
  const url = await ports.provider.authorizationUrl(attempt, {
    redirectUri: redirectUri(request, settings),
    ...(key === undefined ? {} : { loginHint: key }),
  });
  const facts = { value: attemptText(attempt), seconds: limits.signInSeconds };
  return redirect(url, [cookie('attempt', facts, settings)]);
};

/** The end of a sign-in that did not work: a page for a browser, an error for a program. */
const failed = ({ request: { headers }, settings }: Call): Reply<undefined> => {
  const cookies = [ended('attempt', settings)];
  return (headers['accept'] ?? '').includes('text/html')
    ? redirect(`${settings.portalPath ?? ''}${portalPages.signInFailed}`, cookies)
    : portalRefusal('sign_in.failed', undefined, { cookies });
};

/** `GET /api/sign/back`: where the provider sends the browser. Whatever session the browser had before ends here. */
const signBack: CallHandler<'sign.back'> = async (ports, call) => {
  const { request, settings } = call;
  const attempt = readAttempt(cookieValue('attempt', request, settings) ?? '', ports.clock.now());
  if (!attempt) return failed(call);
  const uri = redirectUri(request, settings);
  const answered = new URL(`${uri}?${new URLSearchParams(request.query)}`);
  const person = await ports.provider.personOf(attempt, { redirectUri: uri, answered });
  if (!person) return failed(call);
  const older = new Set([attempt.replaces, sessionOf(request, settings)]);
  for (const hash of older) if (hash !== undefined) await ports.sessions.end(hash);
  const seconds = settings.isLocal ? limits.localSessionSeconds : limits.sessionSeconds;
  const facts = { value: await startSession(ports, person, seconds), seconds };
  return redirect(`${settings.portalPath ?? ''}${attempt.to}`, [
    cookie('session', facts, settings),
    ended('attempt', settings),
  ]);
};

/** `POST /api/sign/out`: the session ends at once; the page goes to the given URL, where the provider's ends. */
const signOut: CallHandler<'sign.out'> = async (ports, { request, settings }) => {
  const hash = sessionOf(request, settings);
  if (hash !== undefined) await ports.sessions.end(hash);
  const url = await ports.provider
    .endSessionUrl({ returnTo: `${ownUrl(request, settings)}/` })
    .catch(() => undefined);
  return portalResponse(
    { continue_at: url ?? `${settings.portalPath ?? ''}/` },
    { cookies: [ended('session', settings)] },
  );
};

/** `GET /api/sign/session`: who is signed in, and where that person belongs. */
const showSession: CallHandler<'sign.session'> = async ({ members }, { person }) => {
  const { roles, isOperator } = person
    ? await members.affiliationOf(person)
    : { roles: [], isOperator: false };
  const organisations = roles.map(({ organisation, role }) => ({ organisation_id: organisation, role }));
  return portalResponse({ person, organisations, is_operator: isOperator });
};

export const signCalls: CallService<'sign'> = {
  handlers: {
    'sign.in': signIn,
    'sign.back': signBack,
    'sign.session': showSession,
    'sign.out': signOut,
  },
};

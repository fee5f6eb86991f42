import { limits } from '../contract/limits.ts';
import { defined } from '../contract/outside.ts';
import { portalPages } from '../contract/portal/portal-pages.ts';
import { type HttpRequest, isNavigation } from '../platform/http/request.ts';
import type { EdgeSettings } from '../platform/http/respond.ts';
import {
  cookie,
  cookieValue,
  ownUrl,
  portalRefusal,
  portalResponse,
  type Reply,
  redirect,
} from './browser.http.ts';
import type { Call, CallHandlers } from './calls.http.ts';
import { attemptText, newAttempt, readAttempt, sessionHash, startSession } from './session.ts';
import { nowhere } from './standing.ts';

const redirectUri = (request: HttpRequest, settings: EdgeSettings): string =>
  `${ownUrl(request, settings)}/api/sign/back`;

const sessionOf = (request: HttpRequest, settings: EdgeSettings): string | undefined =>
  sessionHash(cookieValue('session', request, settings) ?? '');

const ended = (name: 'session' | 'attempt', settings: EdgeSettings): string =>
  cookie(name, { value: '', seconds: 0 }, settings);

/** The end of a sign-in that did not work: a page for a browser, an error for a program. */
const failed = ({ request, settings }: Call): Reply<undefined> => {
  const cookies = [ended('attempt', settings)];
  return isNavigation(request)
    ? redirect(`${settings.portalPath ?? ''}${portalPages.signInFailed}`, cookies)
    : portalRefusal('sign_in.failed', undefined, { cookies });
};

export const signCalls: CallHandlers<'sign'> = {
  /**
   * `key` is a one-time key of the local service, which travels as a hint; `to` is the page to land
   * on.
   */
  'sign.in': async (ports, { request, query, settings }) => {
    const { key, to = '/' } = query;
    const attempt = newAttempt(ports, { to, replaces: sessionOf(request, settings) });
    const url = await ports.provider.authorizationUrl(attempt, {
      redirectUri: redirectUri(request, settings),
      ...defined({ loginHint: key }),
    });
    const facts = { value: attemptText(attempt), seconds: limits.signInSeconds };
    return redirect(url, [cookie('attempt', facts, settings)]);
  },

  /** Where the provider sends the browser. Whatever session the browser had before ends here. */
  'sign.back': async (ports, call) => {
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
  },

  /** The session ends at once; the page goes to the given URL, where the provider's ends. */
  'sign.out': async ({ sessions, provider }, { request, settings }) => {
    const hash = sessionOf(request, settings);
    if (hash !== undefined) await sessions.end(hash);
    const returnTo = `${ownUrl(request, settings)}/`;
    const url = await provider.endSessionUrl({ returnTo }).catch(() => undefined);
    const cookies = [ended('session', settings)];
    return portalResponse({ continue_at: url ?? `${settings.portalPath ?? ''}/` }, { cookies });
  },

  /** Who is signed in, and where that person belongs. */
  'sign.session': async ({ members }, { person }) => {
    const { roles, isOperator } = person ? await members.affiliationOf(person) : nowhere;
    const organisations = roles.map(({ organisation, role }) => ({
      organisation_id: organisation,
      role,
    }));
    return { person, organisations, is_operator: isOperator };
  },
};

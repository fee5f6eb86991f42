import dns from 'node:dns';
import { operatorKeyIn } from '../../lib/local/roles.ts';
import { browserHost } from '../../lib/local/sign-in.ts';
import type { oneService } from '../support/one-service.ts';

const lookup = dns.lookup.bind(dns);

// RFC 6761 section 6.3: each name below localhost is this machine. Browsers know that, not every
// resolver does.
dns.lookup = ((name: string, ...rest: [never]) =>
  lookup(name.endsWith('.localhost') ? '127.0.0.1' : name, ...rest)) as typeof dns.lookup;

/** The portal of a running service, at the host where people sign in. */
export const portalOrigin = ({
  ready,
  data,
}: Pick<ReturnType<typeof oneService>, 'ready' | 'data'>) => {
  const url = new URL(ready.portal_url);
  url.hostname = browserHost(operatorKeyIn(data));
  return url.origin;
};

/** What a browser does: it keeps the cookies of each host, and follows redirects one by one. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  cookiesOf(host: string): ReadonlyMap<string, string> {
    return this.#cookies.get(host) ?? new Map();
  }

  setCookie(host: string, name: string, value: string): void {
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    jar.set(name, value);
  }

  /** One request, without following its redirect. */
  async request(url: string, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = new Headers(init.headers);
    if (cookie !== '') headers.set('cookie', cookie);
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = pair.split('=');
      if (attributes.includes('Max-Age=0')) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /**
   * Goes to an address as a person does; returns every address on the way and the last response.
   */
  async go(
    url: string,
  ): Promise<{ readonly urls: readonly string[]; readonly response: Response }> {
    const urls = [url];
    let response = await this.request(url);
    while (response.status === 303 || response.status === 302) {
      const next = new URL(response.headers.get('location') ?? '', urls.at(-1)).href;
      urls.push(next);
      response = await this.request(next);
    }
    return { urls, response };
  }
}

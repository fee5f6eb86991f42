import { isLoopback } from './is-loopback.ts';

/** Why an address is none of a bus, or no secret may be sent there; undefined where one may. */
export const addressFault = (baseUrl: string): string | undefined => {
  // `localhost:8787/v1` parses too, with `localhost:` as its scheme: only its host is missing.
  if (!URL.canParse(baseUrl) || new URL(baseUrl).host === '')
    return `${baseUrl || 'An empty text'} is no address: it begins with https:// (or http:// for this machine).`;
  const { protocol, hostname, pathname } = new URL(baseUrl);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
    return `${baseUrl} is not https: a secret would travel in the clear.`;
  return pathname.endsWith('/v1')
    ? undefined
    : `${baseUrl} does not end in /v1, as the address of a bus does.`;
};

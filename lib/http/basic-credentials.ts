import type { ClientCredentials } from '../app/issue-token.ts';

const scheme = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;

const formDecoded = (part: string): string | undefined => {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
};

/**
 * The client of an `Authorization: Basic` header: each part form-encoded before they are joined (RFC 6749 section
 * 2.3.1). Undefined when the header is malformed.
 */
export const basicCredentials = (authorization: string): ClientCredentials | undefined => {
  const encoded = scheme.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  const canonical = bytes.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
  if (colon === -1 || !canonical || !Buffer.from(text, 'utf8').equals(bytes)) return undefined;
  const clientId = formDecoded(text.slice(0, colon));
  const clientSecret = formDecoded(text.slice(colon + 1));
  return clientId === undefined || clientSecret === undefined ? undefined : { clientId, clientSecret };
};

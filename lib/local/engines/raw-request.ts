import type { IncomingMessage } from 'node:http';
import { loopback } from './machine.ts';

export interface RawRequest {
  readonly method: string;
  readonly target: string;
  /** In the order of arrival; names in any case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

export const headerPairs = ({
  rawHeaders,
}: Pick<IncomingMessage, 'rawHeaders'>): [string, string][] =>
  rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  );

/** The names by which this machine calls itself. Not 0.0.0.0: browsers let any page reach that. */
const ownNames: readonly string[] = [loopback, 'localhost', '[::1]'];

/** The host of an authority, without its port: a tunnel (`ssh -L`) may listen on any. */
const nameOf = (authority: string): string | undefined =>
  /^(\[[0-9a-f:]+\]|[^:]+)(?::\d*)?$/.exec(authority.toLowerCase())?.[1];

/**
 * The first host of a request that names neither this machine nor one of `names`; undefined when
 * there is none. A web page can point a domain of its own at 127.0.0.1 (DNS rebinding), but its
 * requests still carry that domain in Host. A request without Host is no browser's.
 *
 * @param names further allowed host names, without ports
 */
export const foreignHost = (
  { headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>,
  names: readonly string[] = [],
): string | undefined => {
  const allowed = [...ownNames, ...names.map(name => name.toLowerCase())];
  return headersDistinct.host?.find(authority => !allowed.includes(nameOf(authority) ?? ''));
};

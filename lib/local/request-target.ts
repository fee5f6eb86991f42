/** What a request asks for, exactly as it was sent. */
export interface RequestTarget {
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

/**
 * Splits the target of a request, in origin or absolute form (RFC 9112 section 3.2). Nothing is normalised: an address
 * has one spelling, and everything that looks at it sees the same one.
 */
export const requestTarget = (target: string): RequestTarget => {
  const origin = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const [path = '', ...query] = origin.split('?');
  return { path: path === '' ? '/' : path, query: query.join('?') };
};

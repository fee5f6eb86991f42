const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);

/** Why no secret may be sent to an address; undefined where it may. */
export const addressFault = (baseUrl: string): string | undefined => {
  if (!URL.canParse(baseUrl)) return `${baseUrl} is no address.`;
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
    ? undefined
    : `${baseUrl} is not https: a secret would travel in the clear.`;
};

import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * Special-purpose ranges (IANA IPv4 and IPv6 Special-Purpose Address Registries), multicast and
 * reserved ones included.
 */
const specialRanges = `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12
  192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16
  198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
  2001::/23 2001:db8::/32 2002::/16 3fff::/20`;

const special = new BlockList();
for (const range of specialRanges.trim().split(/\s+/)) {
  const [net = '', bits] = range.split('/');
  special.addSubnet(net, Number(bits), isIPv4(net) ? 'ipv4' : 'ipv6');
}

/**
 * The unicast addresses that IANA hands out; mapped, translated, local and link-local ones are
 * outside.
 */
const globalIpv6 = new BlockList();
globalIpv6.addSubnet('2000::', 3, 'ipv6');

export const isPublicAddress = (address: string): boolean => {
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  return isIPv6(address) && globalIpv6.check(address, 'ipv6') && !special.check(address, 'ipv6');
};

/**
 * Whether the host of a URL cannot be one of the public internet: an address that is not public, or
 * this machine's name.
 */
const isPrivateHost = ({ hostname }: URL): boolean => {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIPv4(host) || isIPv6(host)) return !isPublicAddress(host);
  return /(?:^|\.)localhost\.?$/.test(host);
};

/**
 * A URL parser also reads `https:///x`, `https:x` and `https:\\\\x`, and drops spaces around an
 * address.
 */
const fullForm = /^(https?):\/\/[^\s/\\?#]+(?:[/?#][^\s\\]*)?$/i;

/**
 * A URL that is written in full; undefined if it may not be used.
 *
 * @param insecureLocal http may be
 */
export const publicUrl = (text: string, insecureLocal: boolean): URL | undefined => {
  const url = fullForm.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' || insecureLocal ? url : undefined;
};

/**
 * Why the bus would not connect to a URL that somebody chose, as a sentence; undefined if it would.
 *
 * @param what begins it
 */
export const problemWithChosenUrl = (
  what: string,
  text: string,
  insecureLocal: boolean,
): string | undefined => {
  const url = publicUrl(text, insecureLocal);
  if (!url) return `${what} "${text}" is not an https address.`;
  if (!insecureLocal && isPrivateHost(url))
    return `${what} "${text}" is not on the public internet, so the bus would not fetch it.`;
  if (url.username === '' && url.password === '') return undefined;
  return `${what} must not hold a user name or password.`;
};

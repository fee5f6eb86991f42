import { lookup } from 'node:dns/promises';
import { limits } from '../contract/limits.ts';
import { errorMessage } from '../local/engines/error-message.ts';
import { addressFault } from './address-fault.ts';
import type { BusAccount } from './bus-account.ts';
import { type BusAnswer, codeOf, reasonOf } from './bus-session.ts';
import { type Finding, fail, info, ok } from './finding.ts';

/** Whether secrets may go there, and whether it looks like the address of a bus. */
export const address = ({ baseUrl }: BusAccount): Finding => {
  const fault = addressFault(baseUrl);
  return fault === undefined ? ok('address', baseUrl) : fail('address', fault);
};

export const dns = async ({ baseUrl }: BusAccount): Promise<Finding> => {
  const { hostname } = new URL(baseUrl);
  return lookup(hostname.replace(/[[\]]/g, '')).then(
    found => ok('dns', `${hostname} is ${found.address}`),
    () => fail('dns', `${hostname} is unknown to this machine's name servers.`),
  );
};

export const tls = ({ baseUrl }: BusAccount): Finding =>
  new URL(baseUrl).protocol === 'https:'
    ? ok('tls', 'trusted')
    : info('tls', 'none: this is the local service');

const untrusted =
  'The certificate is signed by nobody whom this machine trusts; where a proxy of yours signs, name its certificate in NODE_EXTRA_CA_CERTS';

/** The codes of Node's "TLS (SSL)" and OpenSSL's verification errors that people meet. */
const tlsFaults: Readonly<Record<string, string>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'What listens there speaks no https; the local service is at http://',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'What listens there speaks no https; the local service is at http://',
  CERT_HAS_EXPIRED: "The certificate has expired, or this machine's clock is far ahead",
  CERT_NOT_YET_VALID: "The certificate is not valid yet, or this machine's clock is far behind",
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
};

/** Why a call got no answer. */
export const unreachable = (fault: unknown): Finding => {
  const code = codeOf(fault);
  const words = tlsFaults[code];
  if (words !== undefined) return fail('tls', `${words} (${code}).`);
  return fail('connection', errorMessage(fault));
};

export const health = (answer: BusAnswer): Finding => {
  const { status, body } = answer;
  if (status === 200 && body['ok'] === true && typeof body['som_version'] === 'string')
    return ok('health', `SOM ${body['som_version']}`);
  return Array.isArray(body['violations'])
    ? fail('health', `The bus answered ${status}: ${reasonOf(answer)}`)
    : fail('health', `This is not a bus: it answered ${status} ${JSON.stringify(body).slice(0, 80)}`);
};

/** The `Date` header is in whole seconds, so a second of difference says nothing. */
export const clock = ({ headers }: BusAnswer, now: number): Finding => {
  const there = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(there)) return info('clock', 'The answer has no Date header to compare with.');
  const seconds = Math.round((now - there) / 1000);
  return Math.abs(seconds) <= limits.clockLeewaySeconds + 1
    ? ok('clock', `${Math.abs(seconds)} s apart`)
    : fail(
        'clock',
        `This machine's clock is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead' : 'behind'}: set it by NTP.`,
      );
};

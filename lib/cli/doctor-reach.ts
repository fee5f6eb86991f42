import { lookup } from 'node:dns/promises';
import { limits } from '../contract/limits.ts';
import { errorMessage } from '../engines/files.ts';
import { addressFault, type BusAccount } from './account.ts';
import { type BusAnswer, reasonOf } from './bus-answer.ts';
import { codeOf } from './bus-client.ts';

/** The result of one check, on one line. */
export interface Finding {
  readonly check: string;
  /** `info`: nothing to fix, such as a check that applies to producers only. */
  readonly state: 'ok' | 'fail' | 'info';
  readonly words: string;
}

export const ok = (check: string, words: string): Finding => ({ check, state: 'ok', words });
export const fail = (check: string, words: string): Finding => ({ check, state: 'fail', words });
export const info = (check: string, words: string): Finding => ({ check, state: 'info', words });

/** Whether secrets may be sent there, and whether it looks like the address of a bus. */
export const addressFinding = ({ baseUrl }: BusAccount): Finding => {
  const fault = addressFault(baseUrl);
  return fault === undefined ? ok('address', baseUrl) : fail('address', fault);
};

export const dnsFinding = ({ baseUrl }: BusAccount): Promise<Finding> => {
  const { hostname } = new URL(baseUrl);
  return lookup(hostname.replace(/[[\]]/g, '')).then(
    found => ok('dns', `${hostname} resolves to ${found.address}`),
    () => fail('dns', `This machine cannot resolve the host name ${hostname}.`),
  );
};

export const tlsFinding = ({ baseUrl }: BusAccount): Finding =>
  new URL(baseUrl).protocol === 'https:'
    ? ok('tls', 'the certificate is trusted')
    : info('tls', 'the local service does not use it');

const notHttps = 'The server there does not speak https; the local service is at http://';
const untrusted =
  'This machine does not trust the signer of the certificate; if it was signed by your own proxy, name the CA certificate in NODE_EXTRA_CA_CERTS';

/** The common codes of Node's "TLS (SSL)" and OpenSSL's verification errors. */
const tlsFaults: Readonly<Record<string, string>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: notHttps,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notHttps,
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

export const healthFinding = (answer: BusAnswer): Finding => {
  const { status, body } = answer;
  if (status === 200 && body['ok'] === true && typeof body['som_version'] === 'string')
    return ok('health', `SOM ${body['som_version']}`);
  return Array.isArray(body['violations'])
    ? fail('health', `The bus answered ${status}: ${reasonOf(answer)}`)
    : fail('health', `This is not a bus: it answered ${status} ${JSON.stringify(body).slice(0, 80)}`);
};

/** Compares clocks. The `Date` header is in whole seconds, so a difference of one second means nothing. */
export const clockFinding = ({ headers }: BusAnswer, now: number): Finding => {
  const there = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(there)) return info('clock', 'The answer has no Date header to compare with.');
  const seconds = Math.round((now - there) / 1000);
  const apart = Math.abs(seconds);
  if (apart <= limits.clockLeewaySeconds + 1) return ok('clock', `${apart} s apart`);
  const direction = seconds > 0 ? 'ahead' : 'behind';
  return fail('clock', `This machine's clock is ${apart} s ${direction}: synchronise it with NTP.`);
};

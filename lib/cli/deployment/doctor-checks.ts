import { randomUUID } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { join } from 'node:path';
import { limits, windows } from '../../contract/limits.ts';
import { iso } from '../../contract/outside.ts';
import {
  isLoopback,
  type ProxyChoice,
  problemWithUrl,
  proxyFor,
} from '../../kit/client/bus-url.ts';
import { storeFile } from '../../local/data-folder.ts';
import { errorMessage } from '../../local/engines/machine.ts';
import { problemIn } from '../../local/engines/store.ts';
import { shownRefusal } from '../developer/messages.ts';
import type { BusAccount } from '../frame/account.ts';
import {
  type BusResponse,
  type BusSession,
  baseUrlOf,
  claimsOf,
  codeOf,
  isOfPortal,
  isOtherKind,
  portalAdvice,
  pullMessages,
  reasonOf,
  recordsOf,
  request,
  rulesOf,
  settle,
  unsettled,
} from '../frame/bus.ts';

export interface DoctorFinding {
  readonly check: string;
  /** `info`: nothing to fix, such as a check that applies to producers only. */
  readonly state: 'ok' | 'fail' | 'info';
  readonly words: string;
  readonly details?: readonly string[];
}

export const ok = (check: string, words: string): DoctorFinding => ({ check, state: 'ok', words });
export const fail = (check: string, words: string): DoctorFinding => ({
  check,
  state: 'fail',
  words,
});
export const info = (check: string, words: string): DoctorFinding => ({
  check,
  state: 'info',
  words,
});

/** A check that could not be made has failed. */
export const attempt = (check: string, finding: Promise<DoctorFinding>): Promise<DoctorFinding> =>
  finding.catch((error: unknown) => fail(check, errorMessage(error)));

/** Whether secrets may be sent there. */
export const urlFinding = ({ baseUrl }: BusAccount): DoctorFinding => {
  const error = problemWithUrl(baseUrl);
  if (error === undefined) return ok('address', baseUrl);
  return fail('address', error);
};

/** The proxy that the shell names for the bus, and whether calls go through it. */
export const proxyFinding = ({ variable, proxy, unused }: ProxyChoice): DoctorFinding => {
  if (unused === undefined)
    return info('proxy', `calls go through ${proxy.origin}, which ${variable} names`);
  return info('proxy', `${variable} is not used here: ${unused}`);
};

/** Whether the shell names a proxy that AWS's services would be called through. */
export const awsProxyFinding = (
  env: Readonly<Record<string, string | undefined>>,
): readonly DoctorFinding[] => {
  const choice = proxyFor(new URL('https://sts.amazonaws.com'), env);
  if (choice === undefined || choice.unused !== undefined) return [];
  const words =
    `calls of AWS do not go through ${choice.proxy.origin}, which ${choice.variable} names: ` +
    'they need a direct way';
  return [info('proxy', words)];
};

export const dnsFinding = async (
  { baseUrl }: BusAccount,
  isProxied: boolean,
): Promise<DoctorFinding> => {
  const { hostname } = new URL(baseUrl);
  if (isProxied) return info('dns', `the proxy looks up ${hostname}`);
  return lookup(hostname.replace(/[[\]]/g, '')).then(
    found => ok('dns', `${hostname} resolves to ${found.address}`),
    () => fail('dns', `This machine cannot resolve the host name ${hostname}.`),
  );
};

export const databaseFinding = (data: string): DoctorFinding => {
  const path = join(data, storeFile);
  const problem = problemIn(path);
  if (problem === undefined) return ok('database', `${path} is sound`);
  return fail('database', `${path} is damaged (${problem}): restore the data folder from a copy.`);
};

export const tlsFinding = ({ baseUrl }: BusAccount): DoctorFinding => {
  if (new URL(baseUrl).protocol === 'https:') return ok('tls', 'the certificate is trusted');
  return info('tls', 'the local service does not use it');
};

const notHttps =
  'The server there does not speak https; the local service is at http://, unless it was ' +
  'started with --tls-cert';
const untrusted =
  'This machine does not trust the signer of the certificate; if it is your own, name the ' +
  'file of its certificate in NODE_EXTRA_CA_CERTS';

/** Common codes of Node's "TLS (SSL)" errors and OpenSSL's verification errors. */
const tlsProblems: Readonly<Record<string, string>> = {
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

export const unreachable = (error: unknown): DoctorFinding => {
  const code = codeOf(error);
  const words = tlsProblems[code];
  if (words !== undefined) return fail('tls', `${words} (${code}).`);
  return fail('connection', errorMessage(error));
};

export const healthFinding = (response: BusResponse): DoctorFinding => {
  const { status, body } = response;
  if (status === 200 && body['ok'] === true && typeof body['som_version'] === 'string')
    return ok('health', `SOM ${body['som_version']}`);
  if (Array.isArray(body['violations']))
    return fail('health', `The bus answered ${status}: ${reasonOf(response)}`);
  if (isOfPortal(response)) return fail('health', `This is not a bus: ${portalAdvice}`);
  const shown = JSON.stringify(body).slice(0, 80);
  return fail('health', `This is not a bus: it answered ${status} ${shown}`);
};

/**
 * Compares clocks. The `Date` header is in whole seconds, so a difference of one second means
 * nothing.
 */
export const clockFinding = ({ date = '' }: BusResponse, now: number): DoctorFinding => {
  const there = Date.parse(date);
  if (Number.isNaN(there)) return info('clock', 'The response has no Date header to compare with.');
  const seconds = Math.round((now - there) / 1000);
  const apart = Math.abs(seconds);
  if (apart <= limits.clockLeewaySeconds + 1) return ok('clock', `${apart} s apart`);
  const direction = seconds > 0 ? 'ahead' : 'behind';
  return fail('clock', `This machine's clock is ${apart} s ${direction}: synchronise it with NTP.`);
};

const { requests: perMinute } = windows.anyRoutePerAddress;

/**
 * Tells when what runs behind this address comes near its limit. Only the local service says what
 * is left.
 */
export const requestsFindings = ({ rateLimit = '' }: BusResponse): readonly DoctorFinding[] => {
  const [, text] = /"address";r=(\d+)/.exec(rateLimit) ?? [];
  if (text === undefined || Number(text) > perMinute / 4) return [];
  const used = perMinute - Number(text);
  const advice = 'give each consumer a smaller requestsPerMinute, or some of them another address.';
  return [
    info(
      'requests',
      `${used} of the ${perMinute} requests a minute of this address are used, by all systems ` +
        `behind it: ${advice}`,
    ),
  ];
};

export interface Patient extends BusAccount {
  readonly message?: Uint8Array;
  readonly workspace?: string;
  /** Of the owner's own identity provider: used instead of the connection's credentials. */
  readonly token?: string;
}

const ownSystem = 'sombus-doctor';

export const ownMessage = (systemId: string, now: number): string =>
  JSON.stringify({
    som_version: '1.0.0',
    message_id: randomUUID(),
    correlation_id: randomUUID(),
    message_type: 'story.context',
    timestamp: iso(now),
    originating_system: { system_id: systemId, system_type: 'custom' },
    topic: 'som.doctor',
    payload: {
      story_id: `doctor-${randomUUID()}`,
      slug: 'DOCTOR',
      headline: 'A dry run',
      story_type: 'PLANNED',
      sequence_number: 1,
      updated_at: iso(now),
    },
  });

const skipped = {
  'dry run': {
    demo: 'skipped: this is a consumer; for a dry run use `sombus doctor --as producer`',
    named: 'skipped: this is a consumer, and only producers can make a dry run',
  },
  pull: {
    demo: 'skipped: this is a producer; for a pull use `sombus doctor --as consumer`',
    named: 'skipped: this is a producer, and only consumers can pull',
  },
} as const;

const otherKind = (check: keyof typeof skipped, { isDemo }: Patient): DoctorFinding =>
  info(check, skipped[check][isDemo ? 'demo' : 'named']);

/**
 * The bus may refuse the doctor's own message although nothing is wrong; undefined if something is
 * wrong.
 */
const harmlessRefusal = (
  response: BusResponse,
  { systemId }: Patient,
): DoctorFinding | undefined => {
  const rules = rulesOf(response);
  if (systemId === undefined && rules.includes('producer.system_id_not_allowed'))
    return info(
      'dry run',
      'skipped: give the system you send as with --system-id, or your own message with --message.',
    );
  if (rules.length === 1 && rules[0] === 'producer.message_type_not_allowed')
    return info(
      'dry run',
      'skipped: this connection may not send story.context; give a message that it may send with --message.',
    );
  return undefined;
};

const dryRunFinding = (
  response: BusResponse,
  patient: Patient,
  sent: Uint8Array,
): DoctorFinding => {
  if (isOtherKind(response)) return otherKind('dry run', patient);
  if (response.body['accepted'] === true) {
    const example = `story.context as ${patient.systemId ?? ownSystem}`;
    return ok('dry run', `${patient.message ? 'your message' : example} would be accepted`);
  }
  const harmless = patient.message ? undefined : harmlessRefusal(response, patient);
  if (harmless) return harmless;
  const { summary, lines } = shownRefusal(response, { bytes: sent, portalUrl: patient.portalUrl });
  return { ...fail('dry run', `the message would be refused: ${summary}`), details: lines };
};

/** Immediately returns what it pulled, so that no message is lost or delayed. */
const pullFinding = async (
  response: BusResponse,
  session: BusSession,
  patient: Patient,
): Promise<DoctorFinding> => {
  if (isOtherKind(response)) return otherKind('pull', patient);
  if (response.status !== 200) return fail('pull', reasonOf(response));
  const records = recordsOf(response);
  if (records.length === 0) return ok('pull', 'the queue is empty');
  const problem = unsettled(await settle(session, 'nack', records));
  if (problem !== undefined)
    return fail('pull', `A message was pulled and could not be returned to the queue: ${problem}`);
  return ok('pull', 'a message is waiting; the doctor returned it to the queue');
};

const permissionFindings = async (
  session: BusSession,
  patient: Patient,
  now: number,
): Promise<readonly DoctorFinding[]> => {
  const message = patient.message ?? Buffer.from(ownMessage(patient.systemId ?? ownSystem, now));
  const verdict = await session.call('validate', message);
  const pulled = await pullMessages(session, {
    max: 1,
    visibility: limits.pullVisibilitySeconds.min,
  });
  if (isOtherKind(verdict) && isOtherKind(pulled))
    return [fail('permissions', 'The connection is revoked or paused: ask the operator.')];
  return [
    dryRunFinding(verdict, patient, message),
    await pullFinding(pulled, session, patient),
    ...requestsFindings(pulled),
  ];
};

const workspaceFindings = ({ workspace }: Patient, tenant: string): readonly DoctorFinding[] => {
  if (workspace === undefined || workspace === tenant) return [];
  return [
    fail(
      'workspace',
      `SOMBUS_WORKSPACE is ${workspace || 'empty'}, but the connection belongs to ` +
        `${tenant}: set it to ${tenant}.`,
    ),
  ];
};

/**
 * Whether two addresses are different ports of this machine: one of them then leads to the other,
 * as far as a caller sees.
 */
const isForwarded = (...urls: readonly string[]): boolean => {
  const parsed = urls.flatMap(url => (URL.canParse(url) ? [new URL(url)] : []));
  const ports = new Set(parsed.map(({ port }) => port));
  return parsed.every(({ hostname }) => isLoopback(hostname)) && ports.size === urls.length;
};

/**
 * Whether the bus knows the address that it was called at. A local service of another machine is
 * reached through a forwarded port.
 */
const identityFinding = ({ baseUrl }: Patient, owner: string, address: string): DoctorFinding => {
  if (address === baseUrl) return ok('token', owner);
  if (isForwarded(address, baseUrl))
    return ok(
      'token',
      `${owner}, through a forwarded port: the service itself listens at ${address}`,
    );
  return info('token', `${owner}; the bus gives its address as ${address}: use that one.`);
};

export const examineSession = async (
  patient: Patient,
  session: BusSession,
  now: number,
): Promise<readonly DoctorFinding[]> => {
  const { workspace, connection, issuer } = session;
  const owner = `connection ${connection} in workspace ${workspace}`;
  return [
    identityFinding(patient, owner, baseUrlOf(issuer)),
    ...workspaceFindings(patient, workspace),
    ...(await permissionFindings(session, patient, now)),
  ];
};

const shownClaims = ['iss', 'aud', 'azp', 'client_id', 'sub', 'exp', 'iat'] as const;

/**
 * What the holder of a token compares with the registered provider: nothing of it is secret to him.
 */
const claimLines = (token: string): readonly string[] => {
  const claims = claimsOf(token);
  return shownClaims
    .filter(name => claims[name] !== undefined)
    .map(name => `${name}: ${JSON.stringify(claims[name])}`);
};

/** A dry run with a token of the owner's own identity provider. */
export const examineForeignToken = async (
  patient: Patient & { token: string },
  now: number,
): Promise<readonly DoctorFinding[]> => {
  const { baseUrl, token, workspace } = patient;
  if (!workspace)
    return [fail('token', 'Set SOMBUS_WORKSPACE to the workspace that the token is for.')];
  const message = patient.message ?? Buffer.from(ownMessage(patient.systemId ?? ownSystem, now));
  const response = await request(`${baseUrl}/tenants/${encodeURIComponent(workspace)}/validate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: Buffer.from(message),
  });
  const details = claimLines(token);
  if (response.status === 401) return [{ ...fail('token', reasonOf(response)), details }];
  return [
    { ...ok('token', 'the bus takes it'), details },
    dryRunFinding(response, patient, message),
  ];
};

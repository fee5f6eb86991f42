import { randomUUID } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { limits } from '../contract/limits.ts';
import type { BusAccount } from './bus-account.ts';
import { type BusAnswer, claimsOf, reasonOf, request, requestToken, sessionOf } from './bus-session.ts';

/** What one check found, in one line. */
export interface Finding {
  readonly check: string;
  /** `info`: nothing to mend, such as a check that is for producers only. */
  readonly state: 'ok' | 'fail' | 'info';
  readonly words: string;
}

const ok = (check: string, words: string): Finding => ({ check, state: 'ok', words });
const fail = (check: string, words: string): Finding => ({ check, state: 'fail', words });
const info = (check: string, words: string): Finding => ({ check, state: 'info', words });

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);

const tlsFaults = /CERT|SSL|TLS|UNABLE_TO_VERIFY|SELF_SIGNED|ERR_TLS/;

const address = ({ baseUrl }: BusAccount): Finding => {
  if (!URL.canParse(baseUrl)) return fail('address', `${baseUrl} is no address.`);
  const { protocol, hostname, pathname } = new URL(baseUrl);
  if (protocol !== 'https:' && !isLoopback(hostname))
    return fail('address', `${baseUrl} is not https: a secret would travel in the clear.`);
  return pathname.endsWith('/v1')
    ? ok('address', baseUrl)
    : fail('address', `${baseUrl} does not end in /v1: base addresses of a bus do.`);
};

const dns = async ({ baseUrl }: BusAccount): Promise<Finding> => {
  const { hostname } = new URL(baseUrl);
  return lookup(hostname.replace(/[[\]]/g, '')).then(
    found => ok('dns', `${hostname} is ${found.address}`),
    () => fail('dns', `${hostname} is unknown to this machine's name servers.`),
  );
};

const unreachable = (fault: unknown): Finding => {
  const words = fault instanceof Error ? fault.message : String(fault);
  return tlsFaults.test(words)
    ? fail('tls', `The certificate is not trusted here: ${words}`)
    : fail('connection', words);
};

const health = ({ status, body }: BusAnswer): Finding =>
  status === 200 && body['ok'] === true
    ? ok('health', `SOM ${body['som_version']}`)
    : fail('health', `The bus answered ${status}.`);

/** The `Date` header is in whole seconds, so a second of difference says nothing. */
const clock = ({ headers }: BusAnswer, now: number): Finding => {
  const there = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(there)) return info('clock', 'The answer has no Date header to compare with.');
  const seconds = Math.round((now - there) / 1000);
  return Math.abs(seconds) <= limits.clockLeewaySeconds + 1
    ? ok('clock', `${Math.abs(seconds)} s apart`)
    : fail('clock', `This machine's clock is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead' : 'behind'}.`);
};

const probe = (systemId: string, now: number): string =>
  JSON.stringify({
    som_version: '1.0.0',
    message_id: randomUUID(),
    correlation_id: randomUUID(),
    message_type: 'story.context',
    timestamp: new Date(now).toISOString(),
    originating_system: { system_id: systemId, system_type: 'custom' },
    topic: 'som.doctor',
    payload: {
      story_id: `doctor-${randomUUID()}`,
      slug: 'DOCTOR',
      headline: 'A dry run',
      story_type: 'PLANNED',
      sequence_number: 1,
      updated_at: new Date(now).toISOString(),
    },
  });

type Session = ReturnType<typeof sessionOf>;

const isOtherKind = (answer: BusAnswer): boolean => reasonOf(answer).startsWith('producer.not_registered');

const dryRun = async (session: Session, systemId: string, now: number): Promise<Finding> => {
  const answer = await session.call('validate', probe(systemId, now));
  if (answer.status === 202) return ok('dry run', `story.context as ${systemId} would be accepted`);
  return isOtherKind(answer)
    ? info('dry run', 'This connection is no active producer.')
    : fail('dry run', reasonOf(answer));
};

/** Gives back what it took at once, so that nothing is lost or late. */
const pull = async (session: Session): Promise<Finding> => {
  const queue = `consumers/${session.connection}`;
  const answer = await session.call(
    `${queue}/messages?max=1&visibility=${limits.pullVisibilitySeconds.least}`,
  );
  if (isOtherKind(answer)) return info('pull', 'This connection is no active consumer.');
  if (answer.status !== 200) return fail('pull', reasonOf(answer));
  const messages = Array.isArray(answer.body['messages']) ? answer.body['messages'] : [];
  const receipt_handles = messages.map(({ receipt_handle }: { receipt_handle: string }) => receipt_handle);
  if (receipt_handles.length > 0) await session.call(`${queue}/nack`, JSON.stringify({ receipt_handles }));
  return ok('pull', messages.length > 0 ? 'a message waits (and was given back)' : 'the queue is empty');
};

const identity = (account: BusAccount, token: string): Finding => {
  const { iss, sub, tenant } = claimsOf(token);
  return iss === `${account.baseUrl}/oauth`
    ? ok('token', `connection ${sub} in workspace ${tenant}`)
    : fail('token', `The token was issued by ${iss}, which is another environment.`);
};

const permissions = async (account: BusAccount, token: string, now: number): Promise<readonly Finding[]> => {
  const session = sessionOf(account, token);
  const found = [await dryRun(session, account.systemId ?? 'sombus-doctor', now), await pull(session)];
  return found.every(({ state }) => state === 'info')
    ? [...found, fail('permissions', 'The connection is revoked: ask the operator.')]
    : found;
};

/** Every check, in the order in which one needs the other; it stops where going on makes no sense. */
export const diagnose = async (account: BusAccount, now: () => number): Promise<readonly Finding[]> => {
  const findings = [address(account)];
  if (findings[0]?.state === 'fail') return findings;
  findings.push(await dns(account));
  if (findings[1]?.state === 'fail') return findings;
  try {
    const answer = await request(`${account.baseUrl}/health`);
    const { protocol } = new URL(account.baseUrl);
    findings.push(
      protocol === 'https:' ? ok('tls', 'trusted') : info('tls', 'none: this is the local service'),
    );
    findings.push(health(answer), clock(answer, now()));
    const token = await requestToken(account);
    const { access_token } = token.body;
    if (typeof access_token !== 'string') return [...findings, fail('token', reasonOf(token))];
    return [
      ...findings,
      identity(account, access_token),
      ...(await permissions(account, access_token, now())),
    ];
  } catch (fault) {
    return [...findings, unreachable(fault)];
  }
};

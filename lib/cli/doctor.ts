import { lookup } from 'node:dns/promises';
import { Command, Option } from 'commander';
import { limits } from '../contract/limits.ts';
import { errorMessage } from '../engines/files.ts';
import {
  type AccountOptions,
  accountOptions,
  addressFault,
  type BusAccount,
  type Environment,
  uncheckedAccount,
} from './account.ts';
import { ChecksFailed, type CommandContext, inputBytes } from './command.ts';
import { examineToken, type Patient } from './doctor-permissions.ts';
import { type BusAnswer, codeOf, reasonOf, request, requestToken, tokenAdvice } from './session.ts';

/** What one check of the doctor found, in one line. */
export interface Finding {
  readonly check: string;
  /** `info`: nothing to mend, such as a check that is for producers only. */
  readonly state: 'ok' | 'fail' | 'info';
  readonly words: string;
}

export const ok = (check: string, words: string): Finding => ({ check, state: 'ok', words });
export const fail = (check: string, words: string): Finding => ({ check, state: 'fail', words });
export const info = (check: string, words: string): Finding => ({ check, state: 'info', words });

/** Whether secrets may go there, and whether it looks like the address of a bus. */
const address = ({ baseUrl }: BusAccount): Finding => {
  const fault = addressFault(baseUrl);
  return fault === undefined ? ok('address', baseUrl) : fail('address', fault);
};

const dns = async ({ baseUrl }: BusAccount): Promise<Finding> => {
  const { hostname } = new URL(baseUrl);
  return lookup(hostname.replace(/[[\]]/g, '')).then(
    found => ok('dns', `${hostname} is ${found.address}`),
    () => fail('dns', `${hostname} is unknown to this machine's name servers.`),
  );
};

const tls = ({ baseUrl }: BusAccount): Finding =>
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
const unreachable = (fault: unknown): Finding => {
  const code = codeOf(fault);
  const words = tlsFaults[code];
  if (words !== undefined) return fail('tls', `${words} (${code}).`);
  return fail('connection', errorMessage(fault));
};

const health = (answer: BusAnswer): Finding => {
  const { status, body } = answer;
  if (status === 200 && body['ok'] === true && typeof body['som_version'] === 'string')
    return ok('health', `SOM ${body['som_version']}`);
  return Array.isArray(body['violations'])
    ? fail('health', `The bus answered ${status}: ${reasonOf(answer)}`)
    : fail('health', `This is not a bus: it answered ${status} ${JSON.stringify(body).slice(0, 80)}`);
};

/** The `Date` header is in whole seconds, so a second of difference says nothing. */
const clock = ({ headers }: BusAnswer, now: number): Finding => {
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

type Now = () => number;

/** The answer, and this machine's time when it was most likely made: in the middle of the call. */
const timed = async (url: string, now: Now): Promise<{ readonly answer: BusAnswer; readonly at: number }> => {
  const sent = now();
  const answer = await request(url);
  return { answer, at: (sent + now()) / 2 };
};

const examineBus = async (patient: Patient, now: Now, findings: Finding[]): Promise<void> => {
  const { answer, at } = await timed(`${patient.baseUrl}/health`, now);
  findings.push(tls(patient), health(answer), clock(answer, at));
  // What is no bus gets no secret.
  if (findings.some(({ check, state }) => check === 'health' && state === 'fail')) return;
  const issued = await requestToken(patient);
  const { access_token } = issued.body;
  if (typeof access_token !== 'string')
    findings.push(fail('token', `${reasonOf(issued)}${tokenAdvice(issued, patient)}`));
  else findings.push(...(await examineToken(patient, access_token, now())));
};

/** Every check, in the order in which one needs the other; it stops where going on makes no sense. */
export const diagnose = async (patient: Patient, now: Now): Promise<readonly Finding[]> => {
  const findings = [address(patient)];
  if (findings[0]?.state === 'fail') return findings;
  findings.push(await dns(patient));
  if (findings[1]?.state === 'fail') return findings;
  await examineBus(patient, now, findings).catch((fault: unknown) => findings.push(unreachable(fault)));
  return findings;
};

interface DoctorOptions extends AccountOptions {
  readonly as: 'producer' | 'consumer';
  readonly systemId?: string;
  readonly message?: string;
  readonly json: boolean;
}

const signs = { ok: 'ok   ', fail: 'FAIL ', info: '-    ' } as const;

const patientOf = ({ as, systemId, message, ...options }: DoctorOptions, env: Environment): Patient => ({
  ...uncheckedAccount(options, as, env),
  ...(env['SOMBUS_WORKSPACE'] === undefined ? {} : { workspace: env['SOMBUS_WORKSPACE'] }),
  ...(systemId === undefined ? {} : { systemId }),
  ...(message === undefined ? {} : { message: inputBytes(message) }),
});

/** `sombus doctor`: what works from this machine and what does not, one line each. */
export const doctorCommand = ({ terminal }: CommandContext): Command =>
  accountOptions(new Command('doctor'))
    .description('check address, clock, token, permissions, a dry run and a pull from this machine')
    .addOption(
      new Option('--as <kind>', 'which demo connection of the local service')
        .choices(['producer', 'consumer'])
        .default('producer'),
    )
    .option('--system-id <id>', 'the system to dry-run as')
    .option('--message <file>', 'a message of yours to dry-run, or - for standard input')
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      '\nA SOMBUS_WORKSPACE that is set is compared with the workspace of the connection.',
    )
    .action(async (options: DoctorOptions) => {
      const findings = await diagnose(patientOf(options, process.env), Date.now);
      if (options.json) terminal.out(JSON.stringify(findings));
      else
        for (const { check, state, words } of findings)
          terminal.out(`${signs[state]}${check.padEnd(11)} ${words}`);
      const failed = findings.filter(({ state }) => state === 'fail').length;
      if (failed > 0) throw new ChecksFailed(`${failed} of ${findings.length} checks failed.`);
    });

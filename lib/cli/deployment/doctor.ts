import { type EnvironmentName, environmentNames } from '../../contract/environments.ts';
import { defined } from '../../contract/outside.ts';
import { proxyFor } from '../../kit/client/bus-url.ts';
import { errorMessage } from '../../local/engines/machine.ts';
import { jsonHint } from '../../local/start-refusal.ts';
import { isJsonObject } from '../../platform/json/value.ts';
import { operatorPorts } from '../../wiring/operator.ts';
import {
  type AccountOptions,
  type BusAccount,
  busUrl,
  uncheckedAccount,
} from '../frame/account.ts';
import { openSession, request } from '../frame/bus.ts';
import { command } from '../frame/command.ts';
import { ChecksFailed, CommandRefused } from '../frame/failures.ts';
import {
  jsonOption,
  type OptionsOf,
  option,
  systemIdOption,
  withDefault,
} from '../frame/options.ts';
import { deployedEnv } from '../frame/target.ts';
import { inputBytes } from '../frame/terminal.ts';
import { type AwsAccount, awsAccount } from './aws-account.ts';
import {
  type DeploymentSettings,
  examineAccount,
  examineDelivery,
  examineKeys,
  examineUsageKeys,
} from './doctor-aws.ts';
import {
  attempt,
  awsProxyFinding,
  clockFinding,
  type DoctorFinding,
  databaseFinding,
  dnsFinding,
  examineForeignToken,
  examineSession,
  fail,
  healthFinding,
  info,
  type Patient,
  proxyFinding,
  tlsFinding,
  unreachable,
  urlFinding,
} from './doctor-checks.ts';

type Now = () => number;

const examineBus = async (patient: Patient, now: Now, findings: DoctorFinding[]): Promise<void> => {
  const sent = now();
  const response = await request(`${patient.baseUrl}/health`);
  const health = healthFinding(response);
  findings.push(tlsFinding(patient), health, clockFinding(response, (sent + now()) / 2));
  // Only a bus gets the secret.
  if (health.state === 'fail') return;
  const { token } = patient;
  if (token !== undefined) {
    findings.push(...(await examineForeignToken({ ...patient, token }, now())));
    return;
  }
  try {
    findings.push(...(await examineSession(patient, await openSession(patient), now())));
  } catch (error) {
    if (!(error instanceof CommandRefused)) throw error;
    findings.push(fail('token', error.message));
  }
};

/**
 * Whether the bus can be called at all.
 *
 * @throws TypeError when the shell names something that is no proxy
 */
const examineWay = async (patient: Patient, findings: DoctorFinding[]): Promise<boolean> => {
  const choice = proxyFor(new URL(patient.baseUrl), process.env);
  if (choice !== undefined) findings.push(proxyFinding(choice));
  const isProxied = choice !== undefined && choice.unused === undefined;
  const dns = await dnsFinding(patient, isProxied);
  findings.push(dns);
  return dns.state !== 'fail';
};

export const diagnose = async (patient: Patient, now: Now): Promise<readonly DoctorFinding[]> => {
  const url = urlFinding(patient);
  if (url.state === 'fail') return [url];
  const findings = [url];
  try {
    const isOpen = await examineWay(patient, findings);
    if (isOpen) await examineBus(patient, now, findings);
  } catch (error) {
    findings.push(unreachable(error));
  }
  return findings;
};

const doctorOptions = {
  as: withDefault(
    option('--as <kind>', 'which demo connection of the local service to use', [
      'producer',
      'consumer',
    ]),
    'producer',
  ),
  systemId: systemIdOption('the system to send the dry run as'),
  aws: option(
    '--aws <environment>',
    'check the AWS account of your shell instead, before or after a deployment',
    environmentNames,
  ),
  ring: option<true>('--ring', 'with --aws: let an alarm ring, to see that its email arrives'),
  message: option('--message <file>', 'your own message for the dry run, or - for standard input'),
  token: option(
    '--token <file>',
    'a token of your own identity provider, or - for standard input: try it in SOMBUS_WORKSPACE',
  ),
  json: jsonOption,
};

type DoctorOptions = AccountOptions & OptionsOf<typeof doctorOptions>;

const settingsOf = (environment: EnvironmentName): DeploymentSettings => {
  const file = jsonHint('cdk.json');
  const context = isJsonObject(file) ? file['context'] : undefined;
  const given = isJsonObject(context) ? context[environment] : undefined;
  const texts = Object.entries(isJsonObject(given) ? given : {}).filter(
    ([, value]) => value !== '',
  );
  return Object.fromEntries(texts);
};

const ringFinding = async (account: AwsAccount): Promise<DoctorFinding> =>
  info(
    'ring',
    `${await account.ring()} rings now and says a minute later that it is over: see that both emails arrive`,
  );

/**
 * Checks an AWS account before a deployment; after it, also stores the first keys and sends a
 * message end to end.
 */
const diagnoseAws = async (
  environment: EnvironmentName,
  ring: boolean,
): Promise<readonly DoctorFinding[]> => {
  const account = awsAccount(process.env, environment);
  const examination = await examineAccount(account, environment, settingsOf(environment));
  const findings = [...awsProxyFinding(process.env), ...examination.findings];
  if (!examination.isDeployed) return findings;
  const examined = deployedEnv(environment, process.env).then(async env => {
    const ports = operatorPorts(env);
    const keyed = attempt('connections', examineUsageKeys(ports, environment));
    return [await keyed, await examineKeys(ports), await examineDelivery(ports)];
  });
  const unreached = (error: unknown) => [fail('message', errorMessage(error))];
  const rung = ring ? [await attempt('ring', ringFinding(account))] : [];
  return [...findings, ...rung, ...(await examined.catch(unreached))];
};

const signs = { ok: 'ok   ', fail: 'FAIL ', info: '-    ' } as const;

const findingLines = ({ check, state, words, details = [] }: DoctorFinding): readonly string[] => [
  `${signs[state]}${check.padEnd(11)} ${words}`,
  ...details.map(line => `       ${line}`),
];

const tokenIn = (file: string): string => Buffer.from(inputBytes(file)).toString('utf8').trim();

/** A token of the owner's identity provider needs no connection's credentials. */
const accountOf = (
  options: AccountOptions,
  as: DoctorOptions['as'],
  token: string | undefined,
): BusAccount => {
  if (token === undefined) return uncheckedAccount(options, as, process.env);
  return { baseUrl: busUrl(options, process.env), client: { id: '', secret: '' } };
};

const patientOf = ({ as, systemId, message, token: file, ...options }: DoctorOptions): Patient => {
  const token = file === undefined ? undefined : tokenIn(file);
  return {
    ...accountOf(options, as, token),
    ...defined({
      token,
      systemId,
      workspace: process.env['SOMBUS_WORKSPACE'],
      message: message === undefined ? undefined : inputBytes(message),
    }),
  };
};

const diagnosed = async (options: DoctorOptions): Promise<readonly DoctorFinding[]> => {
  const { aws, ring } = options;
  if (aws) return diagnoseAws(aws, ring === true);
  const patient = patientOf(options);
  const findings = await diagnose(patient, Date.now);
  if (patient.isDemo) return [databaseFinding(options.data), ...findings];
  return findings;
};

export const doctorCommand = command({
  usage: 'doctor',
  description: 'check the database, URL, clock, token and permissions, with a dry run and a pull',
  target: 'account',
  options: doctorOptions,
  help: '\nIf SOMBUS_WORKSPACE is set, it must be the workspace of the connection.',
  async run({ terminal, options }) {
    const findings = await diagnosed(options);
    const lines = options.json ? [JSON.stringify(findings)] : findings.flatMap(findingLines);
    for (const line of lines) terminal.out(line);
    const failed = findings.filter(({ state }) => state === 'fail').length;
    if (failed > 0) throw new ChecksFailed(`${failed} of ${findings.length} checks failed.`);
  },
});

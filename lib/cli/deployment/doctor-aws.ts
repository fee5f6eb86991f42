import { createOrganisation } from '../../access/people/organisations.ts';
import { withoutKeys } from '../../access/registry/recovering.ts';
import { revokeParty } from '../../access/registry/revoking.ts';
import { published, storeFirstRing } from '../../bus/tokens/key-ring.ts';
import { type EnvironmentName, resourceNames } from '../../contract/environments.ts';
import { reservedCopies } from '../../contract/functions.ts';
import { tableNames } from '../../contract/tables.ts';
import type { OperatorPorts } from '../../wiring/operator.ts';
import {
  baseUrlOf,
  makeTestPair,
  openSession,
  pullMessages,
  reasonOf,
  recordsOf,
  settle,
  unsettled,
} from '../frame/bus.ts';
import type { AwsAccount } from './aws-account.ts';
import { attempt, type DoctorFinding, fail, info, ok, ownMessage } from './doctor-checks.ts';

/** What `cdk.json` says of an environment; an empty text means that it is not set. */
export interface DeploymentSettings {
  readonly account?: string;
  readonly region?: string;
  readonly alarmAddress?: string;
}

const reserved = Object.values(reservedCopies).reduce((sum, copies) => sum + copies, 0);

/**
 * AWS keeps as many for functions that reserve none (AWS Lambda, "Configuring reserved
 * concurrency").
 */
const keptUnreserved = 100;

const minBootstrap = 6;

const callerFinding = async (
  { caller, region }: AwsAccount,
  wanted: DeploymentSettings,
): Promise<DoctorFinding> => {
  if (!region) return fail('account', 'AWS_REGION is not set: name the region of the environment.');
  const { account, arn } = await caller();
  if (wanted.account && wanted.account !== account)
    return fail(
      'account',
      `These are credentials for ${account}, but cdk.json names ${wanted.account}.`,
    );
  if (wanted.region && wanted.region !== region)
    return fail('account', `AWS_REGION is ${region}, but cdk.json names ${wanted.region}.`);
  return ok('account', `${account} in ${region}, as ${arn}`);
};

const bootstrapFinding = async ({ bootstrapVersion }: AwsAccount): Promise<DoctorFinding> => {
  const version = await bootstrapVersion();
  if (version === undefined)
    return fail('bootstrap', 'There is none in this region: run npx cdk bootstrap.');
  if (version < minBootstrap)
    return fail('bootstrap', `Version ${version} is too old: run npx cdk bootstrap.`);
  return ok('bootstrap', `version ${version}`);
};

const concurrencyFinding = async (
  { concurrency }: AwsAccount,
  isDeployed: boolean,
): Promise<DoctorFinding> => {
  const { limit, unreserved } = await concurrency();
  if (isDeployed)
    return ok('functions', `${limit} copies at once, ${unreserved} of them not reserved`);
  const needed = reserved + keptUnreserved;
  if (unreserved >= needed)
    return ok('functions', `${unreserved} copies at once are not reserved, ${needed} are needed`);
  return fail(
    'functions',
    `Only ${unreserved} copies at once are not reserved, and ${needed} are needed: ask ` +
      'AWS to raise the quota "Concurrent executions" of Lambda (L-B99A9384) to ' +
      `${limit - unreserved + needed}.`,
  );
};

/**
 * SNS deletes a subscription that nobody confirms within 48 hours (SNS: "Confirming
 * subscriptions").
 */
const alarmsFinding = async (
  aws: AwsAccount,
  { alarmAddress }: DeploymentSettings,
): Promise<DoctorFinding> => {
  const subscribed = await aws.subscriptions();
  if (subscribed === undefined) {
    if (alarmAddress)
      return info(
        'alarms',
        `not deployed yet; ${alarmAddress} will have to confirm within 48 hours`,
      );
    return info('alarms', 'cdk.json names no alarmAddress: nobody will get them');
  }
  const pending = subscribed.filter(({ confirmed }) => !confirmed).map(({ endpoint }) => endpoint);
  const again = 'subscribe it again (docs/runbook.md, "Before the first deployment", step 6)';
  if (subscribed.length === 0)
    return fail('alarms', `Nobody gets them: name an address and ${again}.`);
  if (pending.length > 0)
    return fail(
      'alarms',
      `${pending.join(', ')} did not confirm: use the link in the email, or ${again}.`,
    );
  return ok('alarms', `sent to ${subscribed.map(({ endpoint }) => endpoint).join(', ')}`);
};

const loggingFinding = async ({ loggingRole }: AwsAccount): Promise<DoctorFinding> => {
  const role = await loggingRole();
  if (role === undefined)
    return info(
      'logging',
      'API Gateway has no role for its logs here yet; the deployment sets one',
    );
  return ok(
    'logging',
    `API Gateway logs as ${role}; a deployment sets the role of the whole account and region`,
  );
};

/**
 * Whether the tables of a deployed environment are as its template makes them: after a restore,
 * they are not by themselves.
 */
const servedTablesFinding = async (
  aws: AwsAccount,
  tables: readonly string[],
): Promise<DoctorFinding> => {
  const lacking = await Promise.all(
    tables.map(async table => {
      const lacks = await aws.lacks(table);
      if (lacks.length === 0) return [];
      return [`${table} (${lacks.join(', ')})`];
    }),
  );
  if (lacking.flat().length === 0) return ok('tables', tables.join(', '));
  return fail(
    'tables',
    `Missing: ${lacking.flat().join('; ')}. docs/runbook.md, "Restoring the tables", step ` +
      '2, has the commands.',
  );
};

const tablesFinding = (environment: EnvironmentName, tables: readonly string[]): DoctorFinding => {
  const stack = `${resourceNames(environment).stack}-stateful`;
  if (tables.length === 0) return info('tables', 'not deployed yet');
  return fail(
    'tables',
    `Only ${tables.join(', ')} exists: an interrupted deployment left it. If the stack ` +
      `${stack} owns it, deploy again; otherwise delete it first (docs/runbook.md).`,
  );
};

/**
 * Whether an account and region are ready for a deployment of an environment, and whether it is
 * deployed there.
 */
export const examineAccount = async (
  aws: AwsAccount,
  environment: EnvironmentName,
  wanted: DeploymentSettings,
): Promise<{ findings: readonly DoctorFinding[]; isDeployed: boolean }> => {
  const account = await attempt('account', callerFinding(aws, wanted));
  if (account.state === 'fail') return { findings: [account], isDeployed: false };
  const tables = await aws.tables().catch(() => []);
  const isDeployed = tables.length === tableNames.length;
  const rest = await Promise.all([
    attempt('bootstrap', bootstrapFinding(aws)),
    attempt('functions', concurrencyFinding(aws, isDeployed)),
    attempt('logging', loggingFinding(aws)),
    attempt('alarms', alarmsFinding(aws, wanted)),
  ]);
  const findings = [account, ...rest];
  if (!isDeployed)
    return { findings: [...findings, tablesFinding(environment, tables)], isDeployed };
  const served = await attempt('tables', servedTablesFinding(aws, tables));
  return { findings: [...findings, served], isDeployed };
};

const doctorName = 'sombus-doctor';

const sendThrough = async (ports: OperatorPorts, organisation: string): Promise<DoctorFinding> => {
  const { producer, consumer } = await makeTestPair(ports, { name: doctorName, organisation });
  const baseUrl = baseUrlOf(ports.busIssuer);
  const sender = await openSession({ baseUrl, client: producer });
  const receiver = await openSession({ baseUrl, client: consumer });
  const began = ports.clock.now();
  const response = await sender.call('messages', ownMessage(doctorName, began));
  if (response.status !== 202) return fail('message', `It was not accepted: ${reasonOf(response)}`);
  const pulled = await pullMessages(receiver, { max: 1, wait: 20 });
  if (pulled.status !== 200)
    return fail('message', `It was accepted, but could not be pulled: ${reasonOf(pulled)}`);
  const records = recordsOf(pulled);
  if (records.length === 0)
    return fail('message', 'It was accepted, but did not arrive in its queue.');
  const problem = unsettled(await settle(receiver, 'ack', records));
  if (problem !== undefined)
    return fail('message', `It was pulled, but not acknowledged: ${problem}`);
  return ok('message', `published, pulled and acknowledged in ${ports.clock.now() - began} ms`);
};

/**
 * Stores the list of signing keys at the first deployment: until then, who verifies a token asks
 * KMS.
 */
export const examineKeys = async (ports: OperatorPorts): Promise<DoctorFinding> => {
  const stored = await storeFirstRing(ports);
  if (stored.kind === 'declined') return fail('keys', stored.reason);
  return ok(
    'keys',
    `tokens verify by the stored list: ${published(stored.ring)
      .map(({ kid, state }) => `${kid} (${state})`)
      .join(', ')}`,
  );
};

/** How many connections a line names. */
const namedAtMost = 5;

/**
 * Whether the gateway lets every connection in: keys belong to an account and region, and a
 * restored registry does not bring them along.
 */
export const examineUsageKeys = async (
  ports: Parameters<typeof withoutKeys>[0],
  environment: EnvironmentName,
): Promise<DoctorFinding> => {
  const { looked, missing } = await withoutKeys(ports);
  if (missing.length === 0) return ok('connections', `${looked}, each with its key at API Gateway`);
  const named = missing.slice(0, namedAtMost).map(({ id }) => id);
  const more = missing.length > named.length ? ` and ${missing.length - named.length} more` : '';
  return fail(
    'connections',
    `${missing.length} of ${looked} have no key on a usage plan and get 403: ` +
      `${named.join(', ')}${more}. npx --no sombus aws recover --environment ${environment} ` +
      'makes them.',
  );
};

export const examineDelivery = async (ports: OperatorPorts): Promise<DoctorFinding> => {
  const { id } = await createOrganisation(ports, { name: doctorName, tier: 'minimal' });
  return attempt('message', sendThrough(ports, id)).finally(() =>
    revokeParty(ports, 'organisation', id),
  );
};

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { APIGatewayClient, GetUsagePlanKeysCommand, GetUsagePlansCommand } from '@aws-sdk/client-api-gateway';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { compactVerify, importJWK } from 'jose';
import { environments, resourceNames, usageKeyOf } from '../lib/contract/environments.ts';
import { loopback } from '../lib/local/gateway-place.ts';
import { awsQueueAdmin } from '../lib/registry/queue-access.sqs.ts';
import { rolesUnder } from '../lib/registry/queue-access.ts';
import { awsUsagePlans } from '../lib/registry/usage-plans.apigateway.ts';
import { awsSigner } from '../lib/tokens/signer.kms.ts';
import { clock, ids } from '../lib/wiring/env.ts';
import { freePort } from './free-port.ts';
import { pythonTools } from './python-tools.ts';
import { synthesiseTemplates } from './synthesise-templates.ts';

// Rehearses a deployment on moto, an AWS emulator from elsewhere: the templates, then the operator's own adapters on them.

type EnvironmentName = keyof typeof environments;

interface Row {
  readonly type: string;
  readonly wanted: number;
  readonly accepted: number;
  readonly by: string;
  readonly refusals: readonly string[];
}

const account = '123456789012';
const connection = 'crehearsal234';
const reader = 'arn:aws:iam::210987654321:role/reader';

const startMoto = async (program: string, port: number): Promise<() => Promise<void>> => {
  const server = spawn(program, ['-H', loopback, '-p', String(port)], { stdio: 'ignore' });
  const stop = async () => {
    if (server.exitCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  };
  for (let tries = 0; tries < 100; tries += 1) {
    const ready = await fetch(`http://${loopback}:${port}/moto-api/data.json`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return stop;
    await setTimeout(200);
  }
  await stop();
  throw new Error('moto did not start within 20 seconds.');
};

const report = (rows: readonly Row[]): number => {
  for (const { type, wanted, accepted, by, refusals } of rows) {
    const mark = accepted === wanted ? 'accepted' : 'REFUSED ';
    console.log(
      `  ${mark} ${String(accepted).padStart(3)} of ${String(wanted).padStart(3)}  ${type}  (${by})`,
    );
    for (const refusal of refusals) console.log(`           ${refusal}`);
  }
  return rows.filter(({ accepted, wanted }) => accepted !== wanted).length;
};

const check = (what: string, holds: boolean): number => {
  console.log(`  ${holds ? 'works   ' : 'FAILED  '} ${what}`);
  return holds ? 0 : 1;
};

const settingsFor = (endpoint: string) => ({
  endpoint,
  region: 'eu-west-1',
  credentials: { accessKeyId: 'rehearsal', secretAccessKey: 'rehearsal' },
});

/** What the operator's commands and the functions do with what was deployed. */
const useIt = async (environment: EnvironmentName, endpoint: string): Promise<number> => {
  const config = settingsFor(endpoint);
  const names = resourceNames(environment);
  const sqs = new SQSClient(config);
  const baseArn = `arn:aws:sqs:${config.region}:${account}:`;
  const busRoles = rolesUnder(names.rolePath, baseArn);
  const queues = awsQueueAdmin({ client: sqs, baseUrl: `${endpoint}/${account}/`, baseArn, busRoles });
  const queue = `sombus-${connection}-${environment}.fifo`;
  const attributesNow = async () =>
    (await sqs.send(new GetQueueAttributesCommand({ QueueUrl: queues.url(queue), AttributeNames: ['All'] })))
      .Attributes ?? {};
  await queues.create(queue);
  const attributes = await attributesNow();
  await queues.letRead(queue, [reader]);
  const read = await attributesNow();
  await queues.remove(queue);

  const gateway = new APIGatewayClient(config);
  const plans = awsUsagePlans({ client: gateway, environment, clock: clock({}), ids: ids() });
  const keysOn = async (plan: string): Promise<readonly (string | undefined)[]> => {
    const { items } = await gateway.send(new GetUsagePlansCommand({ limit: 500 }));
    const usagePlanId = items?.find(({ name }) => name === plan)?.id;
    const { items: keys } = await gateway.send(new GetUsagePlanKeysCommand({ usagePlanId }));
    return keys?.map(({ name }) => name) ?? [];
  };
  await plans.assign(connection, 'minimal');
  await plans.assign(connection, 'high');
  await plans.assign(connection, { perSecond: 150, burst: 300, perDay: 5_000_000 });
  const custom = names.customUsagePlan(150, 300, 5_000_000);
  const on = { high: await keysOn(names.usagePlan('high')), custom: await keysOn(custom) };
  await plans.remove(connection);

  const client = new DynamoDBClient(config);
  const table = { client, name: names.table('registry') };
  const keys = { kms: new KMSClient(config), table, firstKey: names.signingKeyAlias };
  const signer = awsSigner(keys, { now: Date.now, sleep: setTimeout });
  const [key] = await signer.keys();
  const head = Buffer.from(JSON.stringify({ alg: 'ES256' })).toString('base64url');
  const input = `${head}.${Buffer.from('{}').toString('base64url')}`;
  const token = `${input}.${Buffer.from(await signer.sign(key.kid, Buffer.from(input))).toString('base64url')}`;
  const verified = await compactVerify(token, await importJWK(key.jwk, 'ES256')).then(
    () => true,
    () => false,
  );
  return (
    check(
      "a consumer's FIFO queue is made, kept 14 days, and removed",
      attributes['MessageRetentionPeriod'] === '1209600',
    ) +
    check(
      'its policy is its own from the start, and takes in a verified role',
      attributes['Policy']?.includes(`${baseArn}${queue}`) === true &&
        !attributes['Policy'].includes(reader) &&
        read['Policy']?.includes(reader) === true,
    ) +
    check(
      "a connection's key moves between tiers and to a plan of its own numbers",
      on.high.length === 0 && on.custom.join() === usageKeyOf(connection),
    ) +
    check('the signing key signs ES256 under its alias, and the public key verifies it', verified)
  );
};

const rehearse = async (moto: ReturnType<typeof pythonTools> & object, folder: string): Promise<number> => {
  let wrong = 0;
  for (const environment of Object.keys(environments).filter(
    (name): name is EnvironmentName => name in environments,
  )) {
    const port = await freePort();
    const stop = await startMoto(moto.bin('moto_server'), port);
    const endpoint = `http://${loopback}:${port}`;
    try {
      const deploy = [join(__dirname, 'rehearse.py'), folder, environment, endpoint];
      const answer = execFileSync(moto.bin('python'), deploy, { encoding: 'utf8', maxBuffer: 2 ** 26 });
      const stacks: Record<string, readonly Row[]> = JSON.parse(answer);
      for (const [name, rows] of Object.entries(stacks)) {
        console.log(`${name}:`);
        wrong += report(rows);
      }
      console.log(`${environment}, in use:`);
      wrong += await useIt(environment, endpoint);
    } finally {
      await stop();
    }
  }
  return wrong;
};

const main = async (): Promise<void> => {
  const moto = pythonTools('moto[all,server]==5.2.5');
  if (!moto) return;
  const templates = synthesiseTemplates();
  try {
    const wrong = await rehearse(moto, templates.folder);
    console.log(
      wrong === 0 ? 'Rehearsal: nothing of ours is refused.' : `Rehearsal: ${wrong} things are wrong.`,
    );
    process.exitCode = wrong === 0 ? 0 : 1;
  } finally {
    templates.close();
    moto.close();
  }
};

void main();

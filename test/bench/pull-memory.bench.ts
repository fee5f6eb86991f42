import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { envVars, queueName } from '../../lib/contract/environments.ts';
import { functionSizes } from '../../lib/contract/functions.ts';
import { limits } from '../../lib/contract/limits.ts';
import { type LocalEnv, localEnv } from '../../lib/local/env.ts';
import { provision } from '../../lib/local/provision.ts';
import { type Seed, seed } from '../../lib/local/seed.ts';
import { clientConfig } from '../../lib/platform/aws/clients.ts';
import { operatorPorts } from '../../lib/wiring/operator.ts';
import { bundleFunction } from '../infra/support/bundles.ts';
import { startLocalAws } from '../support/local-aws.ts';
import { print } from './figures.ts';

// Measures what the pull function, as it is deployed, takes of its memory and of a processor when
// it returns ten of the longest messages, again and again.

const rounds = 12;
/** Megabytes. Lambda's own runtime takes the rest. */
const target = 105;

/** What the function has after a wait of twenty seconds. */
const targetSeconds = functionSizes.pull.timeoutSeconds - limits.pullWaitSeconds.max;

/** Many small values: parsed, they take more memory than any other message of this length. */
const longest = `{"x":[${'1,'.repeat((limits.messageBytes - 10) / 2)}1]}`;

const fill = async (env: LocalEnv, { consumer }: Seed): Promise<void> => {
  const client = new SQSClient(clientConfig(env, 'SQS'));
  const names = ['message_id', 'message_type', 'correlation_id', 'producer_id', 'system_id'];
  for (let number = 0; number < 10 * rounds; number += 1) {
    const values = [
      ...names.map(name => [name, `${name}-${number}`]),
      ['enqueued_at', '2026-05-04T09:00:00Z'],
    ];
    await client.send(
      new SendMessageCommand({
        QueueUrl: env[envVars.queueBaseUrl] + queueName(consumer.client_id),
        MessageBody: longest,
        MessageGroupId: `group-${number}`,
        MessageDeduplicationId: `message-${number}`,
        MessageAttributes: Object.fromEntries(
          values.map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
        ),
      }),
    );
  }
  client.destroy();
};

/** Runs in a process of its own, with the function's flags. */
const program = (bundle: string, event: object): string => `
  const { handler } = require(${JSON.stringify(bundle)});
  const busy = () => process.resourceUsage().userCPUTime / 1000 + process.resourceUsage().systemCPUTime / 1000;
  const loaded = busy();
  process.stdout.write = () => true;
  (async () => {
    for (let round = 0; round < ${rounds}; round += 1) {
      const { statusCode, body } = await handler(${JSON.stringify(event)});
      if (statusCode !== 200 || body.length < ${10 * limits.messageBytes}) process.exit(3);
    }
    process.stderr.write('max ' + Math.round(process.resourceUsage().maxRSS / 1024));
    process.stderr.write(' busy ' + Math.round((busy() - loaded) / ${rounds}));
    process.exit(0);
  })();
`;

interface Taken {
  readonly megabytes: number;
  /** Processor time of a pull, in milliseconds of one full processor. */
  readonly busyMilliseconds: number;
}

const measured = async (env: LocalEnv, file: string): Promise<Taken> => {
  const { heapMegabytes } = functionSizes.pull;
  const flags = [`--max-old-space-size=${heapMegabytes}`, '--max-semi-space-size=2'];
  const child = spawn(process.execPath, [...flags, file], { env: { ...process.env, ...env } });
  let output = '';
  child.stderr.on('data', chunk => {
    output += chunk;
  });
  await once(child, 'close');
  const [, megabytes, busy] = /max (\d+) busy (\d+)/.exec(output) ?? [];
  if (megabytes === undefined) throw new Error(`The function failed: ${output}`);
  return { megabytes: Number(megabytes), busyMilliseconds: Number(busy) };
};

const main = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'sombus-pull-'));
  const aws = await startLocalAws();
  const env = localEnv('http://127.0.0.1', aws.endpoints);
  await provision(env);
  const made = await seed(operatorPorts(env));
  await fill(env, made);
  const connection = made.consumer.client_id;
  const event = {
    httpMethod: 'GET',
    headers: {},
    pathParameters: { t: made.workspace, c: connection },
    queryStringParameters: { max: '10', visibility: '3600' },
    requestContext: { requestId: 'r', authorizer: { connection, workspace: made.workspace } },
  };
  const file = join(folder, 'run.cjs');
  writeFileSync(file, program(bundleFunction(folder, 'pull'), event));
  const { megabytes, busyMilliseconds } = await measured(env, file);
  print(
    `pull of ten times ${longest.length} bytes: ${megabytes} MB of ${functionSizes.pull.memoryMegabytes}, target ${target}`,
  );
  // AWS Lambda, "Configure Lambda function memory": 1,769 MB is one full processor.
  const there = (busyMilliseconds * 1769) / functionSizes.pull.memoryMegabytes / 1000;
  print(
    `processor time: ${busyMilliseconds} ms of a full processor, ${there.toFixed(1)} s with the function's share, target ${targetSeconds} s`,
  );
  if (megabytes > target || there > targetSeconds) process.exitCode = 1;
  await aws.close();
  rmSync(folder, { recursive: true, force: true });
};

void main();

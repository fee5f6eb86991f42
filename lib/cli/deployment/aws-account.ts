import { APIGatewayClient, GetAccountCommand } from '@aws-sdk/client-api-gateway';
import { CloudWatchClient, SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { paginateListSubscriptionsByTopic, SNSClient } from '@aws-sdk/client-sns';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { type EnvironmentName, resourceNames } from '../../contract/environments.ts';
import { tableNames } from '../../contract/tables.ts';
import { clientConfig } from '../../platform/aws/clients.ts';
import { callJson, type JsonService } from '../../platform/aws/json-call.ts';
import { unlessError } from '../../platform/aws/table.ts';
import { isJsonObject, type JsonObject } from '../../platform/json/value.ts';
import type { Env } from '../../wiring/env.ts';
import { servedTables } from '../frame/target.ts';

interface AlarmSubscription {
  readonly endpoint: string;
  readonly confirmed: boolean;
}

type TableSafeguard = 'expiry' | 'recovery' | 'protection';

/**
 * The name under which `cdk bootstrap` notes its version (AWS CDK, "Bootstrapping environments",
 * default qualifier).
 */
const bootstrapParameter = '/cdk-bootstrap/hnb659fds/version';

const existingTables = async (
  env: Env,
  environment: EnvironmentName,
): Promise<readonly string[]> => {
  const client = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  const served = await servedTables(environment, env);
  const names = tableNames.map(name => served?.[name] ?? resourceNames(environment).table(name));
  const found = await Promise.all(
    names.map(TableName =>
      unlessError(
        client.send(new DescribeTableCommand({ TableName })),
        'ResourceNotFoundException',
      ),
    ),
  );
  return names.filter((_, index) => found[index] !== undefined);
};

const missingSafeguards = async (
  env: Env,
  TableName: string,
): Promise<readonly TableSafeguard[]> => {
  const client = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  const [{ Table }, { TimeToLiveDescription }, { ContinuousBackupsDescription }] =
    await Promise.all([
      client.send(new DescribeTableCommand({ TableName })),
      client.send(new DescribeTimeToLiveCommand({ TableName })),
      client.send(new DescribeContinuousBackupsCommand({ TableName })),
    ]);
  const recovery =
    ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
  const has = {
    expiry: /^ENABL(ED|ING)$/.test(TimeToLiveDescription?.TimeToLiveStatus ?? ''),
    recovery: recovery === 'ENABLED',
    protection: Table?.DeletionProtectionEnabled === true,
  };
  return (['expiry', 'recovery', 'protection'] as const).filter(safeguard => !has[safeguard]);
};

/**
 * What SNS shows in the place of an ARN until the receiver confirms (SNS API reference,
 * ListSubscriptionsByTopic).
 */
const pendingArn = 'PendingConfirmation';

const subscriptionsTo = async (TopicArn: string): Promise<readonly AlarmSubscription[]> => {
  const found: AlarmSubscription[] = [];
  const pages = paginateListSubscriptionsByTopic({ client: new SNSClient() }, { TopicArn });
  for await (const { Subscriptions = [] } of pages)
    for (const { Endpoint = '', SubscriptionArn } of Subscriptions)
      found.push({ endpoint: Endpoint, confirmed: SubscriptionArn !== pendingArn });
  return found;
};

/**
 * What the AWS account and region of the shell say about themselves. Each response may be an error,
 * such as a missing permission.
 */
export const awsAccount = (env: Env, environment: EnvironmentName) => {
  const region = env['AWS_REGION'];
  const { stack } = resourceNames(environment);
  return {
    region,
    async caller() {
      const { Account = '', Arn = '' } = await new STSClient().send(
        new GetCallerIdentityCommand({}),
      );
      return { account: Account, arn: Arn };
    },
    /**
     * Copies of functions that may run at once: in all, and those that no function has reserved.
     */
    async concurrency() {
      const { AccountLimit = {} } = await new LambdaClient().send(
        new GetAccountSettingsCommand({}),
      );
      const { ConcurrentExecutions = 0, UnreservedConcurrentExecutions = 0 } = AccountLimit;
      return { limit: ConcurrentExecutions, unreserved: UnreservedConcurrentExecutions };
    },
    async bootstrapVersion() {
      const get = new SSMClient().send(new GetParameterCommand({ Name: bootstrapParameter }));
      const found = await unlessError(get, 'ParameterNotFound');
      return found && Number(found.Parameter?.Value);
    },
    /** The role with which API Gateway writes logs; undefined if the account has none. */
    async loggingRole() {
      const client = new APIGatewayClient(clientConfig(env, 'API_GATEWAY'));
      return (await client.send(new GetAccountCommand({}))).cloudwatchRoleArn;
    },
    /** Who gets the alarms of the environment; undefined if their topic does not exist. */
    async subscriptions() {
      const { Account = '', Arn = '' } = await new STSClient().send(
        new GetCallerIdentityCommand({}),
      );
      const partition = Arn.split(':')[1] ?? 'aws';
      const topic = `arn:${partition}:sns:${region}:${Account}:${stack}-alarms`;
      return unlessError(subscriptionsTo(topic), 'NotFoundException');
    },
    /**
     * Puts an alarm of the environment into its state ALARM, until CloudWatch looks at its metric
     * again. Returns its name.
     */
    async ring() {
      const AlarmName = `${stack}-job-failures`;
      const StateReason = 'sombus doctor --ring: only a test of who gets alarms.';
      const client = new CloudWatchClient(clientConfig(env, 'CLOUDWATCH'));
      await client.send(new SetAlarmStateCommand({ AlarmName, StateValue: 'ALARM', StateReason }));
      return AlarmName;
    },
    tables: () => existingTables(env, environment),
    lacks: (table: string) => missingSafeguards(env, table),
  };
};

export type AwsAccount = ReturnType<typeof awsAccount>;

export type CallService = (operation: string, input: object) => Promise<JsonObject>;

/** A service of the shell's AWS account that has no client of its own here. */
export const serviceOf = (env: Env, service: JsonService) => {
  const { config } = new STSClient();
  const call: CallService = async (operation, input) => {
    const output = await callJson(config, { service, operation, input }, env);
    return isJsonObject(output) ? output : {};
  };
  return { call, region: config.region };
};

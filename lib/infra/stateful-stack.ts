import { ArnFormat, Duration, RemovalPolicy, Stack, Tags } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { PolicyDocument } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import {
  type EnvironmentName,
  type EnvVar,
  envVars,
  resourceNames,
  signingKeyPolicy,
  signingKeyTag,
  tableVars,
} from '../contract/environments.ts';
import { defined } from '../contract/outside.ts';
import { isRead, type TableGrant } from '../contract/table-grants.ts';
import {
  type KeyDefinition,
  type TableDefinition,
  type TableName,
  tableNames,
  tables,
} from '../contract/tables.ts';
import { acceptFinding } from './accept-finding.ts';
import { LogArchive } from './log-archive.ts';
import type { Grant } from './service-function.ts';
import { type Settings, stackPlaceOf } from './settings.ts';
import { PeoplePool } from './sign-in.ts';

const keyOf = ({ partition, sort, sortType }: KeyDefinition) => ({
  partitionKey: { name: partition, type: AttributeType.STRING },
  sortKey: { name: sort, type: sortType === 'N' ? AttributeType.NUMBER : AttributeType.STRING },
});

/**
 * A table of `lib/contract/tables.ts`: on demand, encrypted, recoverable to any second of the last
 * 35 days, kept when its stack is deleted.
 */
class BusTable extends Table {
  constructor(scope: Construct, environment: EnvironmentName, name: TableName) {
    const definition: TableDefinition = tables[name];
    super(scope, `${name}Table`, {
      tableName: resourceNames(environment).table(name),
      ...keyOf(definition.key),
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: definition.expiry,
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    for (const [indexName, index] of Object.entries(definition.indexes)) {
      const projectionType =
        index.projection === 'ALL' ? ProjectionType.ALL : ProjectionType.KEYS_ONLY;
      this.addGlobalSecondaryIndex({ indexName, ...keyOf(index), projectionType });
    }
  }
}

/**
 * A table as functions know it: by name. After a restore, the settings name the restored tables,
 * which CloudFormation did not make (docs/runbook.md, "Restoring the tables"). While these take
 * over, roles reach both: a role changes before its function does.
 */
export class ServedTable {
  readonly tableName: string;
  readonly indexNames: readonly string[];
  readonly #name: TableName;
  readonly #stack: Stack;
  readonly #variable: EnvVar;
  readonly #reached: readonly string[];

  constructor(stack: Stack, { environment, restored, restoring }: Settings, name: TableName) {
    const named = (suffix: string | undefined) =>
      resourceNames(environment).table(name) + (suffix ? `-${suffix}` : '');
    this.tableName = named(restoring ?? restored);
    this.#reached = restoring ? [named(restored), this.tableName] : [this.tableName];
    this.indexNames = Object.keys(tables[name].indexes);
    this.#name = name;
    this.#stack = stack;
    this.#variable = tableVars[name];
  }

  /**
   * Keys are patterns that partition keys fit, and attributes the only ones that are named
   * (DynamoDB: "Using IAM policy conditions for fine-grained access control"). For requests that
   * name no key, AWS leaves `LeadingKeys` out; none of the actions is one of these.
   */
  grant(grant: TableGrant): Grant {
    const { actions, keys, attributes, index } = grant;
    const below = index === undefined ? '' : `/index/${index}`;
    const named = defined({
      'dynamodb:LeadingKeys': keys,
      'dynamodb:Attributes': attributes && ['pk', 'sk', ...attributes],
    });
    return target => {
      const statement = {
        actions: actions.map(action => `dynamodb:${action}`),
        resources: this.#reached.map(name =>
          this.#stack.formatArn({
            service: 'dynamodb',
            resource: 'table',
            resourceName: name + below,
          }),
        ),
        ...(keys && { conditions: { 'ForAllValues:StringLike': named } }),
      };
      target.allow(statement, `${this.#name}-${isRead(grant) ? 'reads' : 'writes'}`);
      target.tell({ [this.#variable]: this.tableName });
    };
  }
}

const keyPolicyOf = (scope: Construct, environment: EnvironmentName) => {
  const iam = { service: 'iam', region: '', arnFormat: ArnFormat.NO_RESOURCE_NAME };
  const { signerPath } = resourceNames(environment);
  return signingKeyPolicy({
    accountRoot: Stack.of(scope).formatArn({ ...iam, resource: 'root' }),
    signers: Stack.of(scope).formatArn({ ...iam, resource: `role${signerPath}*` }),
  });
};

/**
 * The first key that signs access tokens (ES256). Its private half never leaves KMS; it is kept
 * when its stack is deleted. The operator's rotation adds keys with the same tag, which functions
 * may also use.
 */
export class FirstSigningKey extends Key {
  readonly #environment: EnvironmentName;

  constructor(scope: Construct, environment: EnvironmentName) {
    super(scope, 'SigningKey', {
      alias: resourceNames(environment).signingKeyAlias,
      description: `Signs the access tokens of som-bus ${environment}`,
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      pendingWindow: Duration.days(30),
      removalPolicy: RemovalPolicy.RETAIN,
      policy: PolicyDocument.fromJson(keyPolicyOf(scope, environment)),
    });
    Tags.of(this).add(signingKeyTag, environment);
    this.#environment = environment;
  }

  /** Lets a function sign, or read the public key: enough to verify a token, not to make one. */
  use(action: 'kms:Sign' | 'kms:GetPublicKey'): Grant {
    return target => {
      target.allow({
        actions: [action],
        resources: [this.stack.formatArn({ service: 'kms', resource: 'key', resourceName: '*' })],
        conditions: { StringEquals: { [`aws:ResourceTag/${signingKeyTag}`]: this.#environment } },
      });
      acceptFinding(
        target.grantee,
        'IAM5[Resource::arn:<AWS::Partition>:kms:<AWS::Region>:<AWS::AccountId>:key/*]',
      );
      target.tell({ [envVars.signingKey]: this.keyArn });
    };
  }
}

/**
 * What must outlive every deployment: the tables and the signing key. It has termination
 * protection.
 */
export class StatefulStack extends Stack {
  readonly signingKey: FirstSigningKey;
  /** Absent if people sign in with an issuer of somebody else's. */
  readonly people?: PeoplePool;

  constructor(scope: Construct, settings: Settings) {
    const { environment } = settings;
    super(scope, `${resourceNames(environment).stack}-stateful`, {
      ...stackPlaceOf(settings),
      terminationProtection: true,
      description: `som-bus ${environment}: tables and signing key`,
    });
    for (const name of tableNames) new BusTable(this, environment, name);
    this.signingKey = new FirstSigningKey(this, environment);
    if (settings.logArchiveDays)
      new LogArchive(this, { environment, days: settings.logArchiveDays });
    if (!settings.issuer) this.people = new PeoplePool(this, settings, this);
  }
}

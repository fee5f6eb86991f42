import { Duration, RemovalPolicy, Stack, Tags } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import {
  type EnvironmentName,
  type EnvVar,
  envVars,
  resourceNames,
  signingKeyTag,
} from '../contract/environments.ts';
import { type IndexDefinition, type TableDefinition, type TableName, tables } from '../contract/tables.ts';
import { acceptFinding } from './accept-finding.ts';
import type { Grantable } from './service-function.ts';
import { placeOf, type Settings } from './settings.ts';
import { PeoplePool } from './sign-in.ts';

const keyOf = ({ partition, sort, sortType }: IndexDefinition) => ({
  partitionKey: { name: partition, type: AttributeType.STRING },
  sortKey: { name: sort, type: sortType === 'N' ? AttributeType.NUMBER : AttributeType.STRING },
});

/** What a port does to a table. */
export interface TableUse {
  readonly actions: readonly `dynamodb:${string}`[];
  /** The indexes it reads. */
  readonly indexes?: readonly string[];
  /** Tells the function the table's name. */
  readonly variable: EnvVar;
}

/** A table of `lib/contract/tables.ts`: on demand, encrypted, recoverable to any second of the last 35 days, kept when its stack is deleted. */
export class BusTable extends Table {
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
      const projectionType = index.projection === 'ALL' ? ProjectionType.ALL : ProjectionType.KEYS_ONLY;
      this.addGlobalSecondaryIndex({ indexName, ...keyOf(index), projectionType });
    }
  }

  /** The part of the table that one port needs. */
  use({ actions, indexes = [], variable }: TableUse): Grantable {
    return {
      grantTo: target => {
        const resources = [this.tableArn, ...indexes.map(index => `${this.tableArn}/index/${index}`)];
        target.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources }));
        target.tell({ [variable]: this.tableName });
      },
    };
  }
}

/**
 * The first key that signs access tokens (ES256). Its private half never leaves KMS; it is kept when its stack is deleted.
 * The operator's rotation adds keys with the same tag, which functions may also use.
 */
export class SigningKey extends Key {
  /** Signs, and reads the public key. */
  readonly signing: Grantable;
  /** Reads the public key: enough to verify a token, not to make one. */
  readonly verifying: Grantable;

  constructor(scope: Construct, environment: EnvironmentName) {
    super(scope, 'SigningKey', {
      alias: resourceNames(environment).signingKeyAlias,
      description: `Signs the access tokens of som-bus ${environment}`,
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      pendingWindow: Duration.days(30),
      removalPolicy: RemovalPolicy.RETAIN,
    });
    Tags.of(this).add(signingKeyTag, environment);
    this.signing = this.use(environment, 'kms:Sign', 'kms:GetPublicKey');
    this.verifying = this.use(environment, 'kms:GetPublicKey');
  }

  private use(environment: EnvironmentName, ...actions: readonly `kms:${string}`[]): Grantable {
    return {
      grantTo: target => {
        const tagged = { StringEquals: { [`aws:ResourceTag/${signingKeyTag}`]: environment } };
        const resources = [this.stack.formatArn({ service: 'kms', resource: 'key', resourceName: '*' })];
        target.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources, conditions: tagged }));
        acceptFinding(
          target.role ?? target,
          'IAM5[Resource::arn:<AWS::Partition>:kms:<AWS::Region>:<AWS::AccountId>:key/*]',
        );
        target.tell({ [envVars.signingKey]: this.keyArn });
      },
    };
  }
}

/** What must outlive every deployment: the tables and the signing key. It has termination protection. */
export class StatefulStack extends Stack {
  readonly registry: BusTable;
  readonly ledger: BusTable;
  readonly activity: BusTable;
  readonly sessions: BusTable;
  readonly signingKey: SigningKey;
  /** Absent if people sign in with an issuer of somebody else's. */
  readonly people?: PeoplePool;

  constructor(scope: Construct, settings: Settings) {
    const { environment } = settings;
    super(scope, `${resourceNames(environment).stack}-stateful`, {
      ...placeOf(settings),
      terminationProtection: true,
      description: `som-bus ${environment}: tables and signing key`,
    });
    this.registry = new BusTable(this, environment, 'registry');
    this.ledger = new BusTable(this, environment, 'ledger');
    this.activity = new BusTable(this, environment, 'activity');
    this.sessions = new BusTable(this, environment, 'sessions');
    this.signingKey = new SigningKey(this, environment);
    if (!settings.issuer) this.people = new PeoplePool(this, settings, this);
  }
}

import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { EnvVar } from '../contract/env-vars.ts';
import type { EnvironmentName } from '../contract/environments.ts';
import { resourceNames } from '../contract/resource-names.ts';
import { type IndexDefinition, type TableDefinition, type TableName, tables } from '../contract/tables.ts';
import type { Grantable } from './service-function.ts';

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

/** A table of `lib/contract/tables.ts`: on demand, encrypted, recoverable to any second of 35 days, kept when its stack goes. */
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

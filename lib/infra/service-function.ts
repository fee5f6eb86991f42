import { join } from 'node:path';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { type EnvVar, envVars } from '../contract/env-vars.ts';
import type { EnvironmentName } from '../contract/environments.ts';
import type { FunctionSize } from '../contract/functions.ts';
import { resourceNames } from '../contract/resource-names.ts';
import { acceptFinding } from './accept-finding.ts';
import { bundling } from './bundling.ts';

const root = join(__dirname, '../..');

/** How long every log of the service is kept. */
export const logRetention = RetentionDays.ONE_MONTH;

export interface ServiceFunctionProps {
  /** The file `lambdas/<name>.ts`. */
  readonly name: string;
  readonly environment: EnvironmentName;
  readonly size: FunctionSize;
}

/** Something a function may use: one call gives the permission and the variables that go with it. */
export interface Grantable {
  grantTo(target: ServiceFunction): void;
}

/**
 * One of `lambdas/`, bundled by esbuild with its SDK clients. Its role may write its own log and nothing else; grants add
 * to it.
 */
export class ServiceFunction extends NodejsFunction {
  readonly records: LogGroup;

  constructor(scope: Construct, id: string, { name, environment, size }: ServiceFunctionProps) {
    const records = new LogGroup(scope, `${id}Log`, {
      logGroupName: `/sombus/${environment}/${name}`,
      retention: logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(scope, `${id}Role`, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      path: resourceNames(environment).rolePath,
    });
    records.grantWrite(role);
    super(scope, id, {
      functionName: `sombus-${environment}-${name}`,
      role,
      logGroup: records,
      entry: join(root, 'lambdas', `${name}.ts`),
      projectRoot: root,
      depsLockFilePath: join(root, 'package-lock.json'),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: size.memoryMegabytes,
      timeout: Duration.seconds(size.timeoutSeconds),
      ...(size.concurrency === undefined ? {} : { reservedConcurrentExecutions: size.concurrency }),
      tracing: Tracing.ACTIVE,
      environment: { [envVars.environment]: environment },
      bundling,
    });
    this.records = records;
    acceptFinding(role, 'IAM5[Resource::*]');
  }

  /** Sets variables that the function reads. */
  tell(variables: Partial<Record<EnvVar, string>>): void {
    for (const [name, value] of Object.entries(variables)) this.addEnvironment(name, value);
  }
}

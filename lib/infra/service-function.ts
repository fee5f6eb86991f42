import { join } from 'node:path';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  ManagedPolicy,
  PolicyDocument,
  PolicyStatement,
  type PolicyStatementProps,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { Architecture, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import {
  type BundlingOptions,
  type ICommandHooks,
  NodejsFunction,
  OutputFormat,
} from 'aws-cdk-lib/aws-lambda-nodejs';
import type { Construct } from 'constructs';
import {
  type EnvironmentName,
  type EnvVar,
  envVars,
  resourceNames,
  type signInVars,
} from '../contract/environments.ts';
import {
  type FunctionId,
  type FunctionSize,
  type JobId,
  type probeFunction,
  reservedCopies,
} from '../contract/functions.ts';
import { defined } from '../contract/outside.ts';
import type { Api } from '../contract/route.ts';
import type { TableName } from '../contract/tables.ts';
import { acceptFinding } from './accept-finding.ts';
import { KeptLog, type LogSettings } from './log-archive.ts';

/**
 * The SDK's fallback credential providers, which are never reached because a function always has
 * its own credentials. They would take up a seventh of a bundle. If they were reached after all,
 * the runtime's copies would be used.
 */
const unreachedCredentialSources = [
  '@aws-sdk/credential-provider-cognito-identity',
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-login',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@smithy/credential-provider-imds',
];

/**
 * How every function is bundled: with its own SDK clients, which start faster than the runtime's
 * and are the tested version; as CommonJS from ES modules, which starts faster than either alone
 * (`test/long/bundles.test.ts` measures).
 */
export const bundling = {
  externalModules: unreachedCredentialSources,
  format: OutputFormat.CJS,
  mainFields: ['module', 'main'],
  minify: true,
  target: 'node24',
} satisfies BundlingOptions;

const root = join(__dirname, '../..');

/** Puts files beside a bundle. */
const copying = (files: readonly string[]): ICommandHooks => ({
  beforeBundling: () => [],
  beforeInstall: () => [],
  afterBundling: (_, output) => files.map(file => `cp "${join(root, file)}" "${output}"`),
});

/**
 * Where the functions of a stack write what happened, a line per request: `route` or `job` says
 * whose it is.
 */
export class FunctionLog extends KeptLog {
  constructor(scope: Construct, settings: LogSettings, name: Api | 'watch') {
    super(scope, 'FunctionLog', {
      ...settings,
      logGroupName: `/sombus/${settings.environment}/${name}`,
    });
  }
}

interface ServiceFunctionProps {
  /** The file `lambdas/<name>.ts`. */
  readonly name: FunctionId | JobId | typeof probeFunction.id;
  readonly environment: EnvironmentName;
  readonly size: FunctionSize;
  readonly log: FunctionLog;
  /** Files, from the project's folder, that the function reads beside its bundle. */
  readonly files?: readonly string[];
  /** The path of its role, if it differs from that of the others. */
  readonly rolePath?: string;
  /**
   * Keeps its rights to tables in policies of their own. The policies in a role have 10,240
   * characters together, one beside it has 6,144 (IAM: "IAM and AWS STS quotas").
   */
  readonly hasPoliciesForTables?: boolean;
}

/** Reading a table, or changing it. */
type TableRights = `${TableName}-${'reads' | 'writes'}`;

/**
 * Something a function may use: one call grants the permission and sets the variables that go with
 * it.
 */
export type Grant = (target: ServiceFunction) => void;

/**
 * One of `lambdas/`, bundled by esbuild with its SDK clients. Its role may only write its log;
 * grants add to it. What it may do is part of the role itself, or attached to it when it is made,
 * so that no request meets a role without its rights.
 */
export class ServiceFunction extends NodejsFunction {
  /** What findings about its rights are accepted on. */
  readonly grantee: Role;
  readonly #rights: PolicyDocument;
  readonly #path: string;
  readonly #hasPoliciesForTables: boolean;
  readonly #rightsToTables = new Map<TableRights, PolicyDocument>();

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { name, environment, size, log } = props;
    const reserved = name === 'probe' ? undefined : reservedCopies[name];
    const rights = new PolicyDocument({
      statements: [
        new PolicyStatement({
          actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          resources: [log.logGroupArn],
        }),
        new PolicyStatement({
          actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
          resources: ['*'],
        }),
      ],
    });
    const path = props.rolePath ?? resourceNames(environment).rolePath;
    const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
    const role = new Role(scope, `${id}Role`, { assumedBy, path, inlinePolicies: { rights } });
    super(scope, id, {
      functionName: `sombus-${environment}-${name}`,
      role: role.withoutPolicyUpdates(),
      logGroup: log,
      entry: join(root, 'lambdas', `${name}.ts`),
      projectRoot: root,
      depsLockFilePath: join(root, 'package-lock.json'),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: size.memoryMegabytes,
      timeout: Duration.seconds(size.timeoutSeconds),
      ...defined({ reservedConcurrentExecutions: reserved }),
      tracing: Tracing.ACTIVE,
      // A version of a release that went back must go: Lambda publishes the same code no second
      // time.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      environment: {
        [envVars.environment]: environment,
        ...(size.heapMegabytes !== undefined && {
          NODE_OPTIONS: `--max-old-space-size=${size.heapMegabytes} --max-semi-space-size=2`,
        }),
      },
      bundling: { ...bundling, commandHooks: copying(props.files ?? []) },
    });
    this.grantee = role;
    this.#rights = rights;
    this.#path = path;
    this.#hasPoliciesForTables = props.hasPoliciesForTables ?? false;
    acceptFinding(role, 'IAM5[Resource::*]');
  }

  /** @param about what of which table it allows; absent: something else */
  allow(statement: PolicyStatementProps, about?: TableRights): void {
    const rights = about && this.#hasPoliciesForTables ? this.#rightsTo(about) : this.#rights;
    rights.addStatements(new PolicyStatement(statement));
  }

  #rightsTo(about: TableRights): PolicyDocument {
    const known = this.#rightsToTables.get(about);
    if (known) return known;
    const document = new PolicyDocument();
    this.#rightsToTables.set(about, document);
    this.grantee.addManagedPolicy(
      new ManagedPolicy(this, `Rights-${about}`, { path: this.#path, document }),
    );
    return document;
  }

  /** Sets variables that the function reads. */
  tell(
    variables: Partial<Record<EnvVar | (typeof signInVars)[keyof typeof signInVars], string>>,
  ): void {
    for (const [name, value] of Object.entries(variables)) this.addEnvironment(name, value);
  }
}

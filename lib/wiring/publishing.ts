import { SQSClient } from '@aws-sdk/client-sqs';
import type { Connection } from '../access/registry/connection.ts';
import {
  operatorSigner,
  ownWorkspaceBearer,
  workspaceBearer,
  workspaceSigner,
} from '../access/trust/admission.http.ts';
import { awsLedger } from '../bus/delivery/ledger.dynamodb.ts';
import { awsBacklog, awsLog } from '../bus/delivery/log.dynamodb.ts';
import { awsQueues } from '../bus/delivery/queues.sqs.ts';
import { circuitBreaker } from '../bus/delivery/queues.ts';
import { publishEdge, validateEdge } from '../bus/publishing/publish.http.ts';
import {
  type AudiencePorts,
  audienceFor,
  type RunAudiencePorts,
  runAudience,
} from '../checks/run-audience.http.ts';
import { environments, envVars } from '../contract/environments.ts';
import { limits } from '../contract/limits.ts';
import { clientConfigWithin, clientOf } from '../platform/aws/clients.ts';
import { attemptRecorder, testRuns } from './activity.ts';
import {
  clock,
  type Env,
  environment,
  ids,
  ledgerTable,
  once,
  registry,
  requiredVariable,
} from './env.ts';
import type { RouteFunction } from './function.ts';

/** How long the archive of an environment keeps messages. */
export const archiveDays = (env: Env): number => environments[environment(env)].archiveDays;

export const ledger = (env: Env) =>
  awsLedger(ledgerTable(env), { clock: clock(env), archiveDays: archiveDays(env) });

export const log = (env: Env) => awsLog(ledgerTable(env));

export const backlog = (env: Env) => awsBacklog(ledgerTable(env));

const sender = /* @__PURE__ */ once((env: Env) =>
  clientOf(env, 'SQS', new SQSClient(clientConfigWithin(env, 'SQS', limits.sendMilliseconds))),
);

export const queues = (env: Env) =>
  awsQueues({ client: sender(env), baseUrl: requiredVariable(env, envVars.queueBaseUrl) });

/** What publishes of this process send with: they share what they know of broken queues. */
export const publishQueues = /* @__PURE__ */ once((env: Env) => {
  const { errors: maxErrors, milliseconds } = limits.brokenQueue;
  return circuitBreaker(queues(env), { clock: clock(env), maxErrors, milliseconds });
});

/** The ports of every publish route: the routes differ only in which callers they admit. */
const publishPorts = {
  clock,
  ids,
  registry,
  ledger,
  log,
  queues: publishQueues,
  recorder: attemptRecorder,
  testRuns,
};

/** Messages of test runs are the runs' own. */
const withRuns = <P extends RunAudiencePorts>(ports: P) => ({
  ...ports,
  audience: runAudience(ports),
});

const withAudience = <P extends AudiencePorts>(ports: P) => ({
  ...ports,
  audience: { of: (producer: Connection) => audienceFor(ports, producer) },
});

const validatePorts = { clock, registry, ledger, testRuns };

export const publishFunction: RouteFunction<'publish'> = {
  route: 'publish',
  edge: ports => publishEdge(withRuns(ports), workspaceBearer),
  ports: publishPorts,
};

export const iamPublishFunction: RouteFunction<'iam-publish'> = {
  route: 'iam-publish',
  edge: ports => publishEdge(withRuns(ports), workspaceSigner),
  ports: publishPorts,
};

export const jwtPublishFunction: RouteFunction<'jwt-publish'> = {
  route: 'jwt-publish',
  edge: ports => publishEdge(withRuns(ports), ownWorkspaceBearer),
  ports: publishPorts,
};

export const operatorPublishFunction: RouteFunction<'operator-publish'> = {
  route: 'operator-publish',
  edge: ports => publishEdge(withRuns(ports), operatorSigner),
  ports: publishPorts,
};

export const validateFunction: RouteFunction<'validate'> = {
  route: 'validate',
  edge: ports => validateEdge(withAudience(ports), workspaceBearer),
  ports: validatePorts,
};

export const iamValidateFunction: RouteFunction<'iam-validate'> = {
  route: 'iam-validate',
  edge: ports => validateEdge(withAudience(ports), workspaceSigner),
  ports: validatePorts,
};

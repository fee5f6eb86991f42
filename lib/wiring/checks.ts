import { version } from '../../package.json';
import {
  evidenceEdge,
  listRunsEdge,
  showRunEdge,
  startRunEdge,
  stopRunEdge,
} from '../checks/own-runs.http.ts';
import { runChecks } from '../checks/run-checks.ts';
import { awsCheckRuns } from '../checks/runs.dynamodb.ts';
import { awsTestMarks } from '../checks/test-runs.dynamodb.ts';
import { recorder } from './activity.ts';
import { depths, seals } from './consuming.ts';
import { clock, type Env, ids, ledgerTable, registry, registryTable } from './env.ts';
import type { RouteFunction } from './function.ts';
import { history } from './history.ts';
import type { JobFunction } from './job.ts';
import { ledger, log, queues } from './publishing.ts';
import { connections, directory, skills } from './registry.ts';

export const marks = (env: Env) => awsTestMarks(registryTable(env));

export const checkRuns = (env: Env) => awsCheckRuns(ledgerTable(env));

export const checksFunction: JobFunction<'checks'> = {
  job: 'checks',
  use: runChecks,
  ports: {
    clock,
    ids,
    registry,
    ledger,
    log,
    queues,
    history,
    recorder,
    connections,
    marks,
    skills,
    checkRuns,
  },
};

export const busVersion = (): string => version;

export const startRunFunction: RouteFunction<'check-start'> = {
  route: 'check-start',
  edge: startRunEdge,
  ports: {
    clock,
    ids,
    busVersion,
    registry,
    directory,
    connections,
    depths,
    skills,
    marks,
    checkRuns,
  },
};

export const listRunsFunction: RouteFunction<'check-list'> = {
  route: 'check-list',
  edge: listRunsEdge,
  ports: { registry, seals, checkRuns },
};

export const showRunFunction: RouteFunction<'check-report'> = {
  route: 'check-report',
  edge: showRunEdge,
  ports: { registry, checkRuns },
};

export const stopRunFunction: RouteFunction<'check-stop'> = {
  route: 'check-stop',
  edge: stopRunEdge,
  ports: { registry, checkRuns },
};

export const evidenceFunction: RouteFunction<'check-evidence'> = {
  route: 'check-evidence',
  edge: evidenceEdge,
  ports: { checkRuns },
};

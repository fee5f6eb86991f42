import { awsTestRuns } from '../checks/test-runs.dynamodb.ts';
import type { TestRuns } from '../registry/test-runs.ts';
import { type Env, ids, ledgerTable } from './env.ts';

/** How an edge takes part in runs of checks. By itself, so that no edge carries what drives the runs. */
export const testRuns = (env: Env): TestRuns => awsTestRuns(ledgerTable(env), ids());

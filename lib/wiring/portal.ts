import { cognitoAccounts } from '../access/people/accounts.cognito.ts';
import { type AccountMaker, accountMaker } from '../access/people/accounts.ts';
import { awsChanges } from '../access/people/changes.dynamodb.ts';
import { awsIdentityProviders } from '../access/trust/identities.dynamodb.ts';
import { awsRefusedTexts } from '../bus/activity/refused-texts.dynamodb.ts';
import { environments, envVars, signInVars } from '../contract/environments.ts';
import { awsRaisedBounds } from '../platform/aws/bounded.ts';
import { storedClientSecret } from '../platform/aws/client-secret.ts';
import { callJson } from '../platform/aws/json-call.ts';
import { alertCalls } from '../portal/alert.http.ts';
import { serveCalls } from '../portal/calls.http.ts';
import { checkCalls } from '../portal/check.http.ts';
import { connectionCalls } from '../portal/connection.http.ts';
import { operatorCalls } from '../portal/operator.http.ts';
import { organisationCalls } from '../portal/organisation.http.ts';
import { signInProvider } from '../portal/provider.fetch.ts';
import { queueCalls } from '../portal/queue.http.ts';
import { awsSessions } from '../portal/session.dynamodb.ts';
import { signCalls } from '../portal/sign-in.http.ts';
import { skillCalls } from '../portal/skill.http.ts';
import { validateCalls } from '../portal/validate.http.ts';
import { workspaceCalls } from '../portal/workspace.http.ts';
import { recorder, testRuns } from './activity.ts';
import { alerts, mails, webhooks } from './alerts.ts';
import { busVersion, checkRuns, marks } from './checks.ts';
import { archiveTail, depths, seals } from './consuming.ts';
import {
  activityTable,
  clock,
  type Env,
  environment,
  ids,
  ledgerTable,
  once,
  registry,
  registryTable,
  requiredVariable,
  sessionsTable,
} from './env.ts';
import type { RouteFunction } from './function.ts';
import {
  acceptances,
  alarmStates,
  archive,
  counts,
  history,
  queueAges,
  replayList,
  replays,
  stories,
} from './history.ts';
import { archiveDays, backlog, ledger, log, publishQueues } from './publishing.ts';
import {
  connections,
  directory,
  invitations,
  members,
  principals,
  queueAdmin,
  skills,
  usagePlans,
} from './registry.ts';

/** What memberships call the issuer of the local service, whose address changes with its port. */
export const localIssuerName = 'local';

/** What reads the portal's client secret. */
const clientSecretOf = (env: Env): (() => Promise<string>) => {
  const { [signInVars.userPool]: pool, [signInVars.secretName]: secretName } = env;
  const client = requiredVariable(env, signInVars.clientId);
  const home = pool ? { pool, client } : secretName ? { secretName } : undefined;
  if (home)
    return storedClientSecret(home, registryTable(env).client.config, { clock: clock(env), env });
  const secret = requiredVariable(env, signInVars.clientSecret);
  return async () => secret;
};

const provider = /* @__PURE__ */ once((env: Env) => {
  const issuer = requiredVariable(env, signInVars.issuer);
  return signInProvider({
    issuer,
    name: env[signInVars.builtIn] === 'true' ? localIssuerName : issuer,
    client: { id: requiredVariable(env, signInVars.clientId), secret: clientSecretOf(env) },
    insecure: env[envVars.localService] === 'true' && new URL(issuer).hostname === '127.0.0.1',
  });
});

/** By invitation are accounts of the environment's own user pool, if nobody may sign up there. */
const accounts = (env: Env): AccountMaker => {
  const { [signInVars.userPool]: pool } = env;
  if (!pool || environments[environment(env)].signUp) return accountMaker(undefined);
  const { config } = registryTable(env).client;
  const call = (operation: string, input: object): Promise<unknown> =>
    callJson(config, { service: 'cognito-idp', operation, input }, env);
  return accountMaker(cognitoAccounts(call, pool));
};

export const portalHandlers = {
  ...signCalls,
  ...organisationCalls,
  ...workspaceCalls,
  ...connectionCalls,
  ...queueCalls,
  ...skillCalls,
  ...checkCalls,
  ...validateCalls,
  ...alertCalls,
  ...operatorCalls,
};

export const portalCallFunction: RouteFunction<'portal-call'> = {
  route: 'portal-call',
  edge: (ports, settings) => serveCalls(ports, portalHandlers, settings),
  ports: {
    clock,
    ids,
    busVersion,
    testRuns,
    archiveDays,
    seals,
    sessions: env => awsSessions(sessionsTable(env)),
    provider,
    members,
    directory,
    bounds: env => awsRaisedBounds({ registry: registryTable(env), ledger: ledgerTable(env) }),
    invitations,
    accounts,
    connections,
    registry,
    queueAdmin,
    usagePlans,
    principals,
    identityProviders: env => awsIdentityProviders(registryTable(env)),
    skills,
    marks,
    checkRuns,
    replays,
    replayList,
    depths,
    queueAges,
    alarmStates,
    ledger,
    log,
    queues: publishQueues,
    recorder,
    backlog,
    archive,
    archiveTail,
    acceptances,
    stories,
    history,
    counts,
    refusedTexts: env => awsRefusedTexts(activityTable(env)),
    changes: env => awsChanges(activityTable(env), ids()),
    alerts,
    webhooks,
    mails,
  },
};

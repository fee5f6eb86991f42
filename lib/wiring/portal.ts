import { awsRefusedTexts } from '../activity/refused-texts.dynamodb.ts';
import { awsRaisedBounds } from '../aws/bounded.ts';
import { clientSecret } from '../aws/client-secret.ts';
import { envVars, signInVars } from '../contract/environments.ts';
import type { Edge } from '../http/respond.ts';
import { alertCalls } from '../portal/alert.http.ts';
import { type CallServices, serveCalls } from '../portal/calls.http.ts';
import { checkCalls } from '../portal/check.http.ts';
import { connectionCalls } from '../portal/connection.http.ts';
import { operatorCalls } from '../portal/operator.http.ts';
import { organisationCalls } from '../portal/organisation.http.ts';
import { portalEdge, portalPageEdge } from '../portal/pages.http.ts';
import { signInProvider } from '../portal/provider.fetch.ts';
import { queueCalls } from '../portal/queue.http.ts';
import { awsSessions } from '../portal/session.dynamodb.ts';
import type { Sessions } from '../portal/session.ts';
import { signCalls } from '../portal/sign-in.http.ts';
import type { SignInProvider } from '../portal/sign-in.ts';
import { skillCalls } from '../portal/skill.http.ts';
import { validateCalls } from '../portal/validate.http.ts';
import { workspaceCalls } from '../portal/workspace.http.ts';
import { awsChanges } from '../registry/changes.dynamodb.ts';
import type { Connections } from '../registry/connection.ts';
import { awsConnections } from '../registry/connections.dynamodb.ts';
import { awsDirectory } from '../registry/directory.dynamodb.ts';
import { awsIdentityProviders, awsPrincipals } from '../registry/identities.dynamodb.ts';
import { awsInvitations } from '../registry/invitations.dynamodb.ts';
import type { Invitations } from '../registry/invitations.ts';
import { awsMembers } from '../registry/members.dynamodb.ts';
import type { Members } from '../registry/members.ts';
import type { Changes } from '../registry/noting.ts';
import type { Directory } from '../registry/organisations.ts';
import type { IdentityProviders } from '../registry/ports.ts';
import type { Principals } from '../registry/principals.ts';
import { awsQueueAdmin } from '../registry/queue-access.sqs.ts';
import type { QueueAdmin } from '../registry/queue-access.ts';
import { awsReplayList } from '../replay/replays.dynamodb.ts';
import { awsSkillRegistrations } from '../skills/registrations.dynamodb.ts';
import { recorder, testRuns } from './activity.ts';
import { alerts, mails, webhooks } from './alerts.ts';
import { busVersion, checkRuns, marks } from './checks.ts';
import { archiveTail, depths } from './consuming.ts';
import {
  activityTable,
  clock,
  type Env,
  ids,
  ledgerTable,
  oncePerEnv,
  registry,
  registryTable,
  sessionsTable,
} from './env.ts';
import type { RouteFunction, RoutePorts } from './function.ts';
import { acceptances, counts, history } from './history.ts';
import { archive, replays } from './jobs.ts';
import { guardedQueueHome } from './principals.ts';
import { archiveDays, backlog, ledger, log, publishQueues } from './publishing.ts';
import { usagePlans } from './registry.ts';

/** What memberships call the issuer of the local service, whose address changes with its port. */
export const localIssuerName = 'local';

const variable = (env: Env, name: (typeof signInVars)[keyof typeof signInVars]): string => {
  const value = env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
};

/** What reads the portal's client secret. */
const newSecret = (env: Env): (() => Promise<string>) => {
  const { [signInVars.userPool]: pool, [signInVars.secretName]: secretName } = env;
  const client = variable(env, signInVars.clientId);
  const home = pool ? { pool, client } : secretName ? { secretName } : undefined;
  if (home) return clientSecret(home, registryTable(env).client.config, { clock: clock(env), env });
  const secret = variable(env, signInVars.clientSecret);
  return async () => secret;
};

const newProvider = (env: Env): SignInProvider => {
  const issuer = variable(env, signInVars.issuer);
  return signInProvider({
    issuer,
    name: env[signInVars.builtIn] === 'true' ? localIssuerName : issuer,
    client: { id: variable(env, signInVars.clientId), secret: newSecret(env) },
    insecure: env[envVars.localService] === 'true' && new URL(issuer).hostname === '127.0.0.1',
  });
};

const provider = (env: Env): SignInProvider => oncePerEnv(env, newProvider);

const directory = (env: Env): Directory => awsDirectory(registryTable(env));
const invitations = (env: Env): Invitations => awsInvitations(registryTable(env));
const connections = (env: Env): Connections => awsConnections(registryTable(env));
const changes = (env: Env): Changes => awsChanges(activityTable(env), ids());

const principals = (env: Env): Principals => awsPrincipals(registryTable(env));
const identityProviders = (env: Env): IdentityProviders => awsIdentityProviders(registryTable(env));
const queueAdmin = (env: Env): QueueAdmin => awsQueueAdmin(guardedQueueHome(env));

const sessions = (env: Env): Sessions => awsSessions(sessionsTable(env));

export const members = (env: Env): Members => awsMembers(registryTable(env));

export const portalFunction: RouteFunction<'portal'> = { route: 'portal', edge: portalEdge, ports: {} };

export const portalPageFunction: RouteFunction<'portal-page'> = {
  route: 'portal-page',
  edge: portalPageEdge,
  ports: {},
};

const calls: CallServices = {
  sign: signCalls,
  organisation: organisationCalls,
  workspace: workspaceCalls,
  connection: connectionCalls,
  queue: queueCalls,
  skill: skillCalls,
  check: checkCalls,
  validate: validateCalls,
  alert: alertCalls,
  operator: operatorCalls,
};

const portalCallEdge: Edge<RoutePorts<'portal-call'>> = (ports, settings) =>
  serveCalls(ports, calls, settings);

export const portalCallFunction: RouteFunction<'portal-call'> = {
  route: 'portal-call',
  edge: portalCallEdge,
  ports: {
    clock,
    ids,
    busVersion,
    testRuns,
    archiveDays,
    sessions,
    provider,
    members,
    directory,
    bounds: env => awsRaisedBounds({ registry: registryTable(env), ledger: ledgerTable(env) }),
    invitations,
    connections,
    registry,
    queueAdmin,
    usagePlans,
    principals,
    identityProviders,
    skills: env => awsSkillRegistrations(registryTable(env)),
    marks,
    checkRuns,
    replays,
    replayList: env => awsReplayList(ledgerTable(env)),
    depths,
    ledger,
    log,
    queues: publishQueues,
    recorder,
    backlog,
    archive,
    archiveTail,
    acceptances,
    history,
    counts,
    refusedTexts: env => awsRefusedTexts(activityTable(env)),
    changes,
    alerts,
    webhooks,
    mails,
  },
};

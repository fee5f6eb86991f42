import { envVars, signInVars } from '../contract/environments.ts';
import { checkEdge } from '../portal/check.http.ts';
import { connectionEdge } from '../portal/connection.http.ts';
import { operatorEdge } from '../portal/operator.http.ts';
import { organisationEdge } from '../portal/organisation.http.ts';
import { portalEdge, portalPageEdge } from '../portal/pages.http.ts';
import { signInProvider } from '../portal/provider.fetch.ts';
import { queueEdge } from '../portal/queue.http.ts';
import { awsSessions } from '../portal/session.dynamodb.ts';
import type { Sessions } from '../portal/session.ts';
import { signEdge } from '../portal/sign-in.http.ts';
import type { SignInProvider } from '../portal/sign-in.ts';
import { skillEdge } from '../portal/skill.http.ts';
import { validateCallEdge } from '../portal/validate.http.ts';
import { workspaceEdge } from '../portal/workspace.http.ts';
import { awsChanges } from '../registry/changes.dynamodb.ts';
import type { Changes } from '../registry/changes.ts';
import type { Connections } from '../registry/connection.ts';
import { awsConnections } from '../registry/connections.dynamodb.ts';
import { awsIdentityProviders } from '../registry/identity-providers.dynamodb.ts';
import type { IdentityProviders } from '../registry/identity-providers.ts';
import { awsInvitations } from '../registry/invitations.dynamodb.ts';
import type { Invitations } from '../registry/invitations.ts';
import { awsDirectory } from '../registry/items.dynamodb.ts';
import { awsMembers } from '../registry/members.dynamodb.ts';
import type { Members } from '../registry/members.ts';
import type { Directory } from '../registry/organisations.ts';
import { awsPrincipals } from '../registry/principals.dynamodb.ts';
import type { Principals } from '../registry/principals.ts';
import { awsQueueAdmin } from '../registry/queue-access.sqs.ts';
import type { QueueAdmin } from '../registry/queue-access.ts';
import { awsReplayList } from '../replay/replays.dynamodb.ts';
import { awsSkillRegistrations } from '../skills/registrations.dynamodb.ts';
import { acceptances, counts, history } from './activity.ts';
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
import type { RouteFunction } from './function.ts';
import { archive, replays } from './jobs.ts';
import { guardedQueueHome } from './principals.ts';
import { archiveDays, backlog, ledger, log } from './publishing.ts';
import { usagePlans } from './registry.ts';

/** What memberships call the issuer of the local service, whose address changes with its port. */
export const localIssuerName = 'local';

const variable = (env: Env, name: (typeof signInVars)[keyof typeof signInVars]): string => {
  const value = env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
};

const newProvider = (env: Env): SignInProvider => {
  const issuer = variable(env, signInVars.issuer);
  return signInProvider({
    issuer,
    name: env[signInVars.builtIn] === 'true' ? localIssuerName : issuer,
    client: { id: variable(env, signInVars.clientId), secret: variable(env, signInVars.clientSecret) },
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

export const signFunction: RouteFunction<'portal-sign'> = {
  route: 'portal-sign',
  edge: signEdge,
  ports: { clock, ids, sessions, provider, members },
};

// Without spreading one list into another: esbuild would keep every function in every bundle.

export const organisationFunction: RouteFunction<'portal-organisation'> = {
  route: 'portal-organisation',
  edge: organisationEdge,
  ports: { clock, ids, sessions, members, directory, changes, invitations },
};

export const operatorFunction: RouteFunction<'portal-operator'> = {
  route: 'portal-operator',
  edge: operatorEdge,
  ports: {
    clock,
    ids,
    sessions,
    members,
    directory,
    connections,
    principals,
    queueAdmin,
    usagePlans,
    changes,
  },
};

export const workspaceFunction: RouteFunction<'portal-workspace'> = {
  route: 'portal-workspace',
  edge: workspaceEdge,
  ports: {
    clock,
    ids,
    sessions,
    members,
    directory,
    connections,
    changes,
    invitations,
    registry,
    history,
    acceptances,
    archive,
    archiveTail,
    counts,
    depths,
    principals,
    log,
  },
};

export const queueFunction: RouteFunction<'portal-queue'> = {
  route: 'portal-queue',
  edge: queueEdge,
  ports: {
    clock,
    ids,
    sessions,
    members,
    directory,
    connections,
    changes,
    depths,
    log,
    backlog,
    archive,
    archiveTail,
    archiveDays,
    history,
    replays,
    replayList: env => awsReplayList(ledgerTable(env)),
  },
};

export const skillCallFunction: RouteFunction<'portal-skill'> = {
  route: 'portal-skill',
  edge: skillEdge,
  ports: {
    clock,
    ids,
    sessions,
    members,
    directory,
    connections,
    changes,
    skills: env => awsSkillRegistrations(registryTable(env)),
  },
};

export const checkCallFunction: RouteFunction<'portal-check'> = {
  route: 'portal-check',
  edge: checkEdge,
  ports: {
    clock,
    ids,
    busVersion,
    sessions,
    members,
    directory,
    connections,
    changes,
    depths,
    skills: env => awsSkillRegistrations(registryTable(env)),
    marks,
    checkRuns,
  },
};

export const validateCallFunction: RouteFunction<'portal-validate'> = {
  route: 'portal-validate',
  edge: validateCallEdge,
  ports: { clock, sessions, members, directory, connections, registry, ledger },
};

export const connectionFunction: RouteFunction<'portal-connection'> = {
  route: 'portal-connection',
  edge: connectionEdge,
  ports: {
    clock,
    ids,
    sessions,
    members,
    directory,
    connections,
    changes,
    invitations,
    queueAdmin,
    usagePlans,
    principals,
    identityProviders,
  },
};

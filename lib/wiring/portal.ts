import { envVars, signInVars } from '../contract/environments.ts';
import { signInProvider } from '../portal/provider.fetch.ts';
import { awsSessions } from '../portal/session.dynamodb.ts';
import type { Sessions } from '../portal/session.ts';
import { signEdge } from '../portal/sign-in.http.ts';
import type { SignInProvider } from '../portal/sign-in.ts';
import { awsMembers } from '../registry/members.dynamodb.ts';
import type { Members } from '../registry/members.ts';
import { clock, type Env, ids, oncePerEnv, registryTable, sessionsTable } from './env.ts';
import type { RouteFunction } from './function.ts';

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

const sessions = (env: Env): Sessions => awsSessions(sessionsTable(env));

export const members = (env: Env): Members => awsMembers(registryTable(env));

export const signFunction: RouteFunction<'portal-sign'> = {
  route: 'portal-sign',
  edge: signEdge,
  ports: { clock, ids, sessions, provider },
};

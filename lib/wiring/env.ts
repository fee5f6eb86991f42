import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientConfigWithin } from '../aws/clients.ts';
import type { Table } from '../aws/table.ts';
import { type EnvVar, envVars } from '../contract/environments.ts';
import { limits } from '../contract/limits.ts';
import type { Clock, Ids } from '../contract/outside.ts';

/** The environment variables of one function. */
export type Env = Readonly<Record<string, string | undefined>>;

/** A variable that the function cannot work without. */
export const required = (env: Env, name: EnvVar): string => {
  const value = env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
};

/** Makes one value per environment, on first use: SDK clients and their connections are shared by the ports of a function. */
export const oncePerEnv = <T>(make: (env: Env) => T): ((env: Env) => T) => {
  const made = new WeakMap<Env, T>();
  return env => {
    const value = made.get(env) ?? make(env);
    made.set(env, value);
    return value;
  };
};

export const clock = (): Clock => ({
  now: () => Date.now(),
  sleep: milliseconds => setTimeout(milliseconds),
});

export const ids = (): Ids => ({ random: bytes => randomBytes(bytes) });

const client = oncePerEnv(
  env => new DynamoDBClient(clientConfigWithin(env, 'DYNAMODB', limits.databaseMilliseconds)),
);

const table = (env: Env, name: EnvVar): Table => ({ client: client(env), name: required(env, name) });

export const registryTable = (env: Env): Table => table(env, envVars.registryTable);
export const ledgerTable = (env: Env): Table => table(env, envVars.ledgerTable);

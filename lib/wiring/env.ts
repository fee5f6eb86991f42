import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { awsRegistry } from '../access/registry/registry.dynamodb.ts';
import {
  type EnvironmentName,
  type EnvVar,
  environmentOf,
  envVars,
  type signInVars,
} from '../contract/environments.ts';
import { limits } from '../contract/limits.ts';
import type { Clock, Ids } from '../contract/outside.ts';
import { clientConfigWithin, clientOf } from '../platform/aws/clients.ts';
import type { Table } from '../platform/aws/table.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** A variable that the function cannot work without. */
export const requiredVariable = (
  env: Env,
  name: EnvVar | (typeof signInVars)[keyof typeof signInVars],
): string => {
  const value = env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
};

const shared = new WeakMap<Env, Map<unknown, unknown>>();

/**
 * One value of `make` for each environment, made on first use: the ports of a function share SDK
 * clients and connections. Callers mark the call as pure, so that esbuild leaves out of a
 * function's bundle what only other functions use.
 */
export const once = <E extends Env, T>(make: (env: E) => T) =>
  function onceOf(env: E): T {
    const values = shared.get(env) ?? new Map<unknown, unknown>();
    shared.set(env, values);
    if (!values.has(make)) values.set(make, make(env));
    return values.get(make) as T; // what this very `make` returned
  };

/**
 * Makes what a function needs, once: on AWS at once, before its first request (AWS docs, "Best
 * practices for working with AWS Lambda functions": initialize SDK clients outside of the function
 * handler); elsewhere on first use, because one process holds all functions.
 */
export const madeOnce = <T extends object>(env: Env, make: () => T): (() => T) => {
  let value = env['AWS_LAMBDA_FUNCTION_NAME'] === undefined ? undefined : make();
  return () => {
    value ??= make();
    return value;
  };
};

const systemClock: Clock = {
  now: () => Date.now(),
  sleep: milliseconds => setTimeout(milliseconds),
};

const clocks = new WeakMap<Env, Clock>();

/** Gives an environment a time of its own: call it before its first port is made. */
export const setClock = (env: Env, clock: Clock): void => void clocks.set(env, clock);

export const clock = (env: Env): Clock => clocks.get(env) ?? systemClock;

export const ids = (): Ids => ({ random: bytes => randomBytes(bytes) });

const client = /* @__PURE__ */ once((env: Env) =>
  clientOf(
    env,
    'DYNAMODB',
    new DynamoDBClient(clientConfigWithin(env, 'DYNAMODB', limits.databaseMilliseconds)),
  ),
);

const table = (env: Env, name: EnvVar): Table => ({
  client: client(env),
  name: requiredVariable(env, name),
});

export const registryTable = (env: Env) => table(env, envVars.registryTable);
export const ledgerTable = (env: Env) => table(env, envVars.ledgerTable);
export const sessionsTable = (env: Env) => table(env, envVars.sessionsTable);
export const activityTable = (env: Env) => table(env, envVars.activityTable);

export const environment = (env: Env): EnvironmentName =>
  environmentOf(requiredVariable(env, envVars.environment));

export const registry = (env: Env) => awsRegistry(registryTable(env), clock(env));

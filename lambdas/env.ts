import type { EnvVar } from '../lib/contract/env-vars.ts';

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

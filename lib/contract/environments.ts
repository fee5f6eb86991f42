/** What differs between the environments the service is deployed to. */
export interface Environment {
  readonly archiveDays: number;
}

export const environments = {
  sandbox: { archiveDays: 30 },
  preview: { archiveDays: 7 },
} as const satisfies Record<string, Environment>;

export type EnvironmentName = keyof typeof environments;

export const isEnvironmentName = (name: string): name is EnvironmentName => Object.hasOwn(environments, name);

/** The environment of a name. An unknown one is a fault: another environment's retention and resources are not its own. */
export const environmentOf = (name: string): EnvironmentName => {
  if (!isEnvironmentName(name)) throw new Error(`There is no environment "${name}".`);
  return name;
};

/** The `environment` claim of every token: both hosted environments are test environments. */
export const environmentClaim = 'sandbox';

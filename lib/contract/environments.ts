/** What differs between the environments the service is deployed to. */
export interface Environment {
  readonly archiveDays: number;
}

export const environments = {
  sandbox: { archiveDays: 30 },
  preview: { archiveDays: 7 },
} as const satisfies Record<string, Environment>;

export type EnvironmentName = keyof typeof environments;

/** The `environment` claim of every token: both hosted environments are test environments. */
export const environmentClaim = 'sandbox';

/** The environment of a name; a name that is none is a fault of the deployment. */
export const environmentOf = (name: string): EnvironmentName => {
  if (name === 'sandbox' || name === 'preview') return name;
  throw new Error(`There is no environment "${name}".`);
};

/** What differs between the environments the service is deployed to. */
export interface Environment {
  readonly archiveDays: number;
}

export const environments = {
  sandbox: { archiveDays: 30 },
  preview: { archiveDays: 7 },
} as const satisfies Record<string, Environment>;

export type EnvironmentName = keyof typeof environments;

/** The environment of a name; an unknown one is the sandbox. */
export const environmentOf = (name: string): EnvironmentName => (name === 'preview' ? 'preview' : 'sandbox');

/** The `environment` claim of every token: both hosted environments are test environments. */
export const environmentClaim = 'sandbox';

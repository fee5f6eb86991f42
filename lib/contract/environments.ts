/** What differs between the environments the service is deployed to. */
export interface Environment {
  readonly archiveDays: number;
}

export const environments = {
  sandbox: { archiveDays: 30 },
  preview: { archiveDays: 7 },
} as const satisfies Record<string, Environment>;

export type EnvironmentName = keyof typeof environments;

/** How long an environment keeps its archive; an unknown name means the sandbox. */
export const archiveDaysOf = (name: string): number =>
  (name === 'preview' ? environments.preview : environments.sandbox).archiveDays;

/** The `environment` claim of every token: both hosted environments are test environments. */
export const environmentClaim = 'sandbox';

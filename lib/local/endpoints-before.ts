import type { Endpoints } from './local-env.ts';

const names = ['dynamodb', 'sqs', 'kms'] as const;

const isOrigin = (value: unknown): value is string =>
  typeof value === 'string' && /^http:\/\/127\.0\.0\.1:\d+$/.test(value) && URL.canParse(value);

/**
 * Where the last run's engines listened, so that clients set up for them go on working.
 *
 * @param value what the last run noted, as far as it can be read
 */
export const endpointsBefore = (value: unknown): Partial<Endpoints> => {
  const noted = typeof value === 'object' && value !== null && 'endpoints' in value ? value.endpoints : {};
  if (typeof noted !== 'object' || noted === null) return {};
  const entries = new Map<string, unknown>(Object.entries(noted));
  return Object.fromEntries(
    names.flatMap(name => {
      const origin = entries.get(name);
      return isOrigin(origin) ? [[name, origin]] : [];
    }),
  );
};

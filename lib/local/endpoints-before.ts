import { isJsonObject } from '../domain/message/json-object.ts';
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
  const noted = isJsonObject(value) ? value['endpoints'] : undefined;
  if (!isJsonObject(noted)) return {};
  return Object.fromEntries(
    names.flatMap(name => {
      const origin = noted[name];
      return isOrigin(origin) ? [[name, origin]] : [];
    }),
  );
};

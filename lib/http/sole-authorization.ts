import { type EventHeaders, headerValues } from './http-request.ts';

/**
 * The one Authorization header of a request. Several are nobody's: a cache of identities might be asked with one of them,
 * and the verifier with another.
 */
export const soleAuthorization = (event: EventHeaders): string | undefined => {
  const [value, ...others] = headerValues(event).get('authorization') ?? [];
  return others.length > 0 ? undefined : value;
};

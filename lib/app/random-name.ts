import type { Ids } from '../ports/ids.ts';

const bytes = 12;

/** A name that nobody else has: 16 characters of base64url. */
export const randomName = (ids: Ids): string => Buffer.from(ids.random(bytes)).toString('base64url');

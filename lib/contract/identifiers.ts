/** First letter of an identifier: organisation, workspace, app, connection, principal, registration, replay, test run, alert. */
export type IdentifierPrefix = 'o' | 'w' | 'a' | 'c' | 'p' | 'r' | 'y' | 't' | 'l';

/** Random bytes per identifier. */
export const identifierBytes = 12;

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** The prefix and 12 characters of `a-z2-7`: 60 random bits, five from each byte. */
export const identifier = (prefix: IdentifierPrefix, random: Uint8Array): string =>
  prefix + Array.from(random.subarray(0, identifierBytes), byte => alphabet.charAt(byte & 31)).join('');

const connectionForm = /^c[a-z2-7]{12}$/;

const organisationForm = /^o[a-z2-7]{12}$/;

export const isOrganisationId = (text: string): boolean => organisationForm.test(text);

const workspaceForm = /^w[a-z2-7]{12}$/;

export const isWorkspaceId = (text: string): boolean => workspaceForm.test(text);

export const isConnectionId = (text: string): boolean => connectionForm.test(text);

/**
 * First letter of an identifier: organisation, workspace, app, connection, principal, registration,
 * replay, test run, alert.
 */
export type IdentifierPrefix = 'o' | 'w' | 'a' | 'c' | 'p' | 'r' | 'y' | 't' | 'l';

export const identifierBytes = 12;

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** The prefix and 12 characters of `a-z2-7`: 60 random bits, five from each byte. */
export const identifier = (prefix: IdentifierPrefix, random: Uint8Array): string =>
  prefix +
  Array.from(random.subarray(0, identifierBytes), byte => alphabet.charAt(byte & 31)).join('');

/** `Ids` of outside.ts: pages import this file, and that one needs Node. */
interface RandomBytes {
  readonly ids: { random(bytes: number): Uint8Array };
}

export const newId = ({ ids }: RandomBytes, prefix: IdentifierPrefix): string =>
  identifier(prefix, ids.random(identifierBytes));

const form =
  (prefix: IdentifierPrefix) =>
  (text: string): boolean =>
    text.startsWith(prefix) && /^.[a-z2-7]{12}$/.test(text);

export const isOrganisationId = form('o');
export const isWorkspaceId = form('w');
export const isConnectionId = form('c');

/**
 * A `message_id` or `correlation_id` in the form in which it is kept and compared: the same UUID in
 * capitals is the same one (RFC 9562 section 4).
 */
export const canonicalUuid = (text: string): string => text.toLowerCase();

/*
 * The correlation_ids of test runs. They are UUIDs of version 8 (RFC 9562 section 5.8): a fixed
 * tag, the number of the case, and the run's id. So a publish knows without a read that an id
 * belongs to no run, which is so for everybody else's.
 */

const tag = '736f6d63-686b-8';

export const testRunId = (random: Uint8Array): string =>
  identifier('t', random.subarray(0, identifierBytes));

const hexOf = (run: string): string =>
  [...run.slice(1)]
    .reduce((bits, character) => bits * 32n + BigInt(alphabet.indexOf(character)), 0n)
    .toString(16)
    .padStart(15, '0');

const runOfHex = (hex: string): string => {
  let bits = BigInt(`0x${hex}`);
  let text = '';
  for (let at = 0; at < 12; at += 1) {
    text = alphabet.charAt(Number(bits % 32n)) + text;
    bits /= 32n;
  }
  return `t${text}`;
};

/** The system that a run's fixtures come from: nobody else may send as it. */
export const testSystem = 'test-run';

export const storyPrefix = (run: string): string => `test-run.${run}.`;

/** The story_id of a case of a run. */
export const storyOfCase = (run: string, caseId: string): string => storyPrefix(run) + caseId;

/** The correlation_id of a case of a run; its number is below 4,096. */
export const correlationOfRun = (run: string, caseNumber: number): string => {
  const hex = hexOf(run);
  return `${tag}${caseNumber.toString(16).padStart(3, '0')}-8${hex.slice(0, 3)}-${hex.slice(3)}`;
};

const correlationForm = /^736f6d63-686b-8[0-9a-f]{3}-8([0-9a-f]{3})-([0-9a-f]{12})$/i;

export const runOfCorrelation = (correlationId: string): string | undefined => {
  const found = correlationForm.exec(correlationId);
  return found ? runOfHex(`${found[1]}${found[2]}`.toLowerCase()) : undefined;
};

import { timingSafeEqual } from 'node:crypto';
import type { Slot } from '../../contract/bounds.ts';
import { isWorkspaceId } from '../../contract/identifiers.ts';
import { limits } from '../../contract/limits.ts';
import { type Connection, hashSecret, isRegistered } from '../registry/connection.ts';
import type { Declined } from '../registry/declined.ts';

/** A role of AWS IAM. Its path does not identify it: a role name is unique in its account. */
export interface CloudRole {
  /** `aws`, `aws-cn`, `aws-us-gov`, … */
  readonly partition: string;
  readonly account: string;
  readonly name: string;
}

const name = '[\\w+=,.@-]{1,64}';
const roleForm = new RegExp(
  `^arn:(aws[a-z-]*):iam::(\\d{12}):role/(?:[\\x21-\\x7e]{1,510}/)?(${name})$`,
);
const sessionForm = new RegExp(
  `^arn:(aws[a-z-]*):sts::(\\d{12}):assumed-role/(${name})/[\\w+=,.@-]{2,64}$`,
);

const roleIn = (form: RegExp, arn: string): CloudRole | undefined => {
  const [, partition, account, roleName] = form.exec(arn) ?? [];
  if (partition && account && roleName) return { partition, account, name: roleName };
  return undefined;
};

export const roleOfArn = (arn: string): CloudRole | undefined => roleIn(roleForm, arn);

/**
 * The role, or the role of a session (`arn:aws:sts::<account>:assumed-role/<name>/<session>`,
 * without the path); undefined for users and root.
 */
export const roleOfCaller = (arn: string): CloudRole | undefined =>
  roleIn(sessionForm, arn) ?? roleOfArn(arn);

export const roleKey = ({ partition, account, name: roleName }: CloudRole): string =>
  `${partition}:${account}:${roleName}`;

export const isSameRole = (one: string, other: string): boolean => {
  const a = roleOfArn(one);
  const b = roleOfArn(other);
  return a !== undefined && b !== undefined && roleKey(a) === roleKey(b);
};

/** Where an outside identity is valid: in one workspace, or on the operator's routes. */
export type Scope = string;

export const operatorScope: Scope = 'operator';

/**
 * The scope of a workspace; undefined if the text is not a workspace id: an address may contain
 * anything.
 */
export const workspaceScope = (workspace: string): Scope | undefined =>
  isWorkspaceId(workspace) ? workspace : undefined;

/**
 * `pending` until the role has answered its challenge; an interrupted verification still has its
 * challenge.
 */
type PrincipalStatus = 'pending' | 'verified' | 'revoked';

export interface Principal {
  readonly id: string;
  readonly scope: Scope;
  readonly connection: string;
  readonly roleArn: string;
  readonly status: PrincipalStatus;
  /** Present until it is answered and everything that follows is done. */
  readonly challenge?: { readonly hash: string /** Epoch milliseconds. */; readonly until: number };
  readonly createdAt: string;
  readonly verifiedAt?: string;
}

export const challengeBytes = 32;

export const challengeText = (random: Uint8Array): string =>
  `sbc_${Buffer.from(random).toString('base64url')}`;

/** @param now epoch milliseconds */
export const storedChallenge = (text: string, now: number): { hash: string; until: number } => ({
  hash: hashSecret(text),
  until: now + limits.challengeSeconds * 1000,
});

/** @param now epoch milliseconds */
export const answersChallenge = (
  { status, challenge }: Principal,
  text: string,
  now: number,
): boolean =>
  status !== 'revoked' &&
  challenge !== undefined &&
  now < challenge.until &&
  timingSafeEqual(Buffer.from(hashSecret(text)), Buffer.from(challenge.hash));

export const verifiedRolesOf = (
  principals: readonly Principal[],
  connection: string,
): readonly string[] =>
  principals
    .filter(one => one.connection === connection && one.status === 'verified')
    .map(({ roleArn }) => roleArn)
    .sort();

/**
 * The verified registration of a role on another producer: with two, its publishes would be
 * ambiguous. Only what the role itself has proved counts, or anybody could keep it from its owner.
 */
export const verifiedElsewhere = async (
  ofRole: readonly Principal[],
  own: string,
  find: (connection: string) => Promise<Connection | undefined>,
): Promise<Principal | undefined> => {
  for (const principal of ofRole) {
    if (principal.status !== 'verified' || principal.connection === own) continue;
    const connection = await find(principal.connection);
    if (isRegistered(connection) && connection.kind === 'producer') return principal;
  }
  return undefined;
};

export interface Principals {
  list(scope: Scope): Promise<readonly Principal[]>;
  /**
   * Replaces one of the same role and connection. A revoked one is removed: it would slow down
   * every look at the workspace.
   */
  put(principal: Principal, slots: readonly Slot[]): Promise<Declined | undefined>;
  /**
   * Marks it verified and uses up its challenge; false if that has been used or replaced in the
   * meantime.
   */
  verify(principal: Principal, verifiedAt: string): Promise<boolean>;
  /** Marks it verified while its challenge stays valid; `verify` follows. False as for `verify`. */
  admit(principal: Principal, verifiedAt: string): Promise<boolean>;
  /**
   * Sets an admitted one back to pending; does nothing if its challenge has been used or replaced
   * in the meantime.
   */
  withdraw(principal: Principal): Promise<void>;
}

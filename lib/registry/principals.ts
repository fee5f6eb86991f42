import { timingSafeEqual } from 'node:crypto';
import type { Slot } from '../contract/bounds.ts';
import { isWorkspaceId } from '../contract/identifiers.ts';
import { limits } from '../contract/limits.ts';
import { hashSecret } from './connection.ts';
import type { Declined } from './operator.ts';

/** A role of AWS IAM. Its path does not identify it: a role name is unique in its account. */
export interface Role {
  /** `aws`, `aws-cn`, `aws-us-gov`, … */
  readonly partition: string;
  readonly account: string;
  readonly name: string;
}

const name = '[\\w+=,.@-]{1,64}';
const roleForm = new RegExp(`^arn:(aws[a-z-]*):iam::(\\d{12}):role/(?:[\\x21-\\x7e]{1,510}/)?(${name})$`);
const sessionForm = new RegExp(`^arn:(aws[a-z-]*):sts::(\\d{12}):assumed-role/(${name})/[\\w+=,.@-]{2,64}$`);

const roleIn = (form: RegExp, arn: string): Role | undefined => {
  const [, partition, account, roleName] = form.exec(arn) ?? [];
  return partition && account && roleName ? { partition, account, name: roleName } : undefined;
};

/** The role of a role's ARN, `arn:aws:iam::<account>:role/<path><name>`; undefined for any other text. */
export const roleOfArn = (arn: string): Role | undefined => roleIn(roleForm, arn);

/**
 * The role that a caller's ARN refers to: a session of an assumed role
 * (`arn:aws:sts::<account>:assumed-role/<name>/<session>`, which leaves the path out) or the role itself. Undefined for
 * users, root and everything else.
 */
export const roleOfCaller = (arn: string): Role | undefined => roleIn(sessionForm, arn) ?? roleOfArn(arn);

export const roleKey = ({ partition, account, name: roleName }: Role): string =>
  `${partition}:${account}:${roleName}`;

export const isSameRole = (one: string, other: string): boolean => {
  const [a, b] = [roleOfArn(one), roleOfArn(other)];
  return a !== undefined && b !== undefined && roleKey(a) === roleKey(b);
};

/** Where an outside identity is valid: in one workspace, or on the operator's routes. */
export type Scope = string;

/** The scope of the operator's routes; no workspace id looks like it. */
export const operatorScope: Scope = 'operator';

/** The scope of a workspace; undefined if the text is not a workspace id: an address may contain anything. */
export const workspaceScope = (workspace: string): Scope | undefined =>
  isWorkspaceId(workspace) ? workspace : undefined;

/** `pending` until the role has answered its challenge; an interrupted verification still has its challenge. */
export type PrincipalStatus = 'pending' | 'verified' | 'revoked';

/** A principal: a cloud role that is registered on a connection. */
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

/** Random bytes per challenge. */
export const challengeBytes = 32;

/** A one-time challenge: `sbc_` and 256 random bits in base64url. */
export const challengeText = (random: Uint8Array): string =>
  `sbc_${Buffer.from(random).toString('base64url')}`;

/** A challenge as it is stored. @param now epoch milliseconds */
export const storedChallenge = (text: string, now: number): { hash: string; until: number } => ({
  hash: hashSecret(text),
  until: now + limits.challengeSeconds * 1000,
});

/** Whether this challenge is the principal's, and still valid at this time. @param now epoch milliseconds */
export const answersChallenge = ({ status, challenge }: Principal, text: string, now: number): boolean =>
  status !== 'revoked' &&
  challenge !== undefined &&
  now < challenge.until &&
  timingSafeEqual(Buffer.from(hashSecret(text)), Buffer.from(challenge.hash));

export const verifiedRolesOf = (principals: readonly Principal[], connection: string): readonly string[] =>
  principals
    .filter(one => one.connection === connection && one.status === 'verified')
    .map(({ roleArn }) => roleArn)
    .sort();

/** Cloud roles registered on connections, as they are registered and verified. Reads are fresh. */
export interface Principals {
  list(scope: Scope): Promise<readonly Principal[]>;
  /**
   * Adds a registration, or replaces the one of the same role and connection; declined if `slots` have no room for it. A revoked one is
   * removed: otherwise whoever registers and revokes roles would slow down every look at the workspace.
   */
  put(principal: Principal, slots: readonly Slot[]): Promise<Declined | undefined>;
  /** Marks it verified and uses up its challenge; false if that has been used or replaced in the meantime. */
  verify(principal: Principal, verifiedAt: string): Promise<boolean>;
  /** Marks it verified while its challenge stays valid; `verify` follows. False as there. */
  admit(principal: Principal, verifiedAt: string): Promise<boolean>;
  /** Sets an admitted one back to pending; does nothing if its challenge has been used or replaced in the meantime. */
  withdraw(principal: Principal): Promise<void>;
}

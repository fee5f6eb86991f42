/** A role of AWS IAM. Its path is no part of who it is: a name is unique in its account. */
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
 * The role that a caller's ARN stands for: a session of an assumed role
 * (`arn:aws:sts::<account>:assumed-role/<name>/<session>`, which leaves the path out) or the role itself. Undefined for
 * users, root and everything else.
 */
export const roleOfCaller = (arn: string): Role | undefined => roleIn(sessionForm, arn) ?? roleOfArn(arn);

/** One text per role. */
export const roleKey = ({ partition, account, name: roleName }: Role): string =>
  `${partition}:${account}:${roleName}`;

/** Whether two ARNs name one role, whatever their paths. */
export const isSameRole = (one: string, other: string): boolean => {
  const [a, b] = [roleOfArn(one), roleOfArn(other)];
  return a !== undefined && b !== undefined && roleKey(a) === roleKey(b);
};

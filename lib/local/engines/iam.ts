import { isJsonObject, jsonIn } from '../../platform/json/value.ts';

// Decides as IAM does whether a call is allowed (IAM: "Policy evaluation logic"), for what this
// project's policies use. Anything else is an error: a condition that is not understood must not
// count as met. The local service asks it about the policies of queues, and test/infra about those
// of the templates.

type Texts = string | readonly string[];

export interface Statement {
  readonly Sid?: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Principal?: '*' | { readonly AWS?: Texts; readonly Service?: Texts };
  readonly Action: Texts;
  readonly Resource: Texts;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, Texts>>>>;
}

/** Who calls: a role of IAM, or a service of AWS. */
export type IamCaller =
  | { readonly role: string; readonly account: string }
  | { readonly service: string };

export interface AwsCall {
  readonly caller: IamCaller;
  readonly action: string;
  readonly resource: string;
  /** The condition keys that AWS would fill in, such as `dynamodb:LeadingKeys`. */
  readonly context: Readonly<Record<string, readonly string[]>>;
}

export interface Policies {
  readonly identity: readonly Statement[];
  readonly resource?: readonly Statement[];
}

export type Decision = 'allowed' | 'denied';

/** `silent`: no statement is about the call. */
export type Effect = Decision | 'silent';

const list = (value: Texts): readonly string[] => (typeof value === 'string' ? [value] : value);

/** `*` is any text and `?` any character; everything else is literal. */
const fits = (pattern: string, text: string): boolean =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  ).test(text);

/**
 * Each part of an ARN is matched by itself, the last one to its end (IAM: "Amazon Resource Name
 * condition operators").
 */
const fitsArn = (pattern: string, arn: string): boolean => {
  const parts = pattern.split(':');
  const of = arn.split(':');
  return (
    parts.slice(0, 5).every((part, index) => fits(part, of[index] ?? '')) &&
    fits(parts.slice(5).join(':'), of.slice(5).join(':'))
  );
};

const comparisons: Readonly<Record<string, (expected: string, actual: string) => boolean>> = {
  StringEquals: (expected, actual) => expected === actual,
  StringLike: fits,
  ArnEquals: fitsArn,
  ArnLike: fitsArn,
  Bool: (expected, actual) => expected.toLowerCase() === actual.toLowerCase(),
};

const negations: Readonly<Record<string, string>> = {
  StringNotEquals: 'StringEquals',
  StringNotLike: 'StringLike',
  ArnNotEquals: 'ArnEquals',
  ArnNotLike: 'ArnLike',
};

const partsOf = (operator: string) => {
  const [, quantifier, name = '', ifExists] = /^(?:(\w+):)?(\w+?)(IfExists)?$/.exec(operator) ?? [];
  return { quantifier, name, ifExists };
};

const isKnownOperator = (operator: string): boolean => {
  const { quantifier = 'ForAllValues', name } = partsOf(operator);
  const isCompared = Object.hasOwn(comparisons, name) || Object.hasOwn(negations, name);
  return (name === 'Null' || isCompared) && ['ForAllValues', 'ForAnyValue'].includes(quantifier);
};

const holds = (
  operator: string,
  expected: readonly string[],
  actual: readonly string[] | undefined,
): boolean => {
  if (!isKnownOperator(operator))
    throw new Error(`The condition operator ${operator} is not known here.`);
  const { quantifier, name, ifExists } = partsOf(operator);
  if (name === 'Null')
    return expected.every(value => (value === 'true') === (actual === undefined));
  const compare = comparisons[negations[name] ?? name] ?? fits;
  const negated = name in negations;
  const meets = (value: string) => expected.some(one => compare(one, value)) !== negated;
  if (quantifier === 'ForAllValues') return (actual ?? []).every(meets);
  if (actual === undefined) return negated || ifExists !== undefined;
  return actual.some(meets);
};

const conditionsHold = ({ Condition = {} }: Statement, { context }: AwsCall): boolean =>
  Object.entries(Condition).every(([operator, keys]) =>
    Object.entries(keys).every(([key, expected]) => holds(operator, list(expected), context[key])),
  );

const isAbout = (statement: Statement, { action, resource }: AwsCall): boolean =>
  list(statement.Action).some(pattern => fits(pattern.toLowerCase(), action.toLowerCase())) &&
  list(statement.Resource).some(pattern => pattern === '*' || fits(pattern, resource));

/**
 * How a statement of a resource's policy names a caller: itself, its whole account, everybody, or
 * not at all.
 */
const namedAs = ({ Principal }: Statement, caller: IamCaller): 'itself' | 'account' | undefined => {
  if (Principal === undefined) return undefined;
  if (Principal === '*') return 'itself';
  if ('service' in caller) {
    if (list(Principal.Service ?? []).includes(caller.service)) return 'itself';
    return undefined;
  }
  const named = list(Principal.AWS ?? []);
  if (named.includes('*') || named.includes(caller.role)) return 'itself';
  const root = new RegExp(`^(?:arn:[\\w-]+:iam::)?${caller.account}(?::root)?$`);
  return named.some(name => root.test(name)) ? 'account' : undefined;
};

/**
 * What policies say to a call within one account. It is allowed if no statement denies it, and one
 * allows it. A role's own policy is enough, except for keys of KMS, whose policy must leave the
 * decision to the account (KMS: "Key policies in AWS KMS").
 */
const effectOf = (call: AwsCall, { identity, resource = [] }: Policies): Effect => {
  const applies = (statement: Statement) =>
    isAbout(statement, call) && conditionsHold(statement, call);
  const own = identity.filter(applies);
  const its = resource.filter(applies).flatMap(statement => {
    const named = namedAs(statement, call.caller);
    if (named) return [{ ...statement, named }];
    return [];
  });
  if ([...own, ...its].some(({ Effect }) => Effect === 'Deny')) return 'denied';
  if (its.some(({ named }) => named === 'itself')) return 'allowed';
  const ownAllows = own.length > 0;
  const delegated = !call.action.startsWith('kms:') || its.length > 0;
  return ownAllows && delegated ? 'allowed' : 'silent';
};

/** Whether a call is allowed: IAM denies what no statement allows. */
export const decide = (call: AwsCall, policies: Policies): Decision =>
  effectOf(call, policies) === 'allowed' ? 'allowed' : 'denied';

export interface PolicyRequest {
  readonly principalArn: string;
  readonly action: string;
  readonly resource: string;
  /** The caller's connection: loopback counts as secure. */
  readonly secureTransport: boolean;
}

/**
 * `silent`: no statement is about the request. `unknown`: the policy has something that is not
 * evaluated here, and nothing may rely on it.
 */
export type PolicyVerdict =
  | { readonly [Kind in Effect]: { readonly kind: Kind } }[Effect]
  | { readonly kind: 'unknown'; readonly what: string };

const contextOf = ({ principalArn, secureTransport }: PolicyRequest) => ({
  'aws:PrincipalArn': [principalArn],
  'aws:SecureTransport': [String(secureTransport)],
});

const contextKeys = ['aws:PrincipalArn', 'aws:SecureTransport'];
const elements = ['Sid', 'Effect', 'Principal', 'Action', 'Resource', 'Condition'];

const isTexts = (value: unknown): boolean => [value].flat().every(text => typeof text === 'string');

/** What of a statement is not evaluated here; undefined if all of it is. */
const unknownPart = (statement: unknown): string | undefined => {
  if (!isJsonObject(statement)) return `the statement ${JSON.stringify(statement)}`;
  const missing = ['Effect', 'Principal', 'Action', 'Resource'].find(name => !statement[name]);
  const other = missing ?? Object.keys(statement).find(name => !elements.includes(name));
  if (other !== undefined) return `the element ${other}`;
  const { Effect, Condition } = statement;
  // What does not deny allows: a misspelt Deny must not.
  if (Effect !== 'Allow' && Effect !== 'Deny') return `the effect ${JSON.stringify(Effect)}`;
  const odd = (['Action', 'Resource'] as const).find(name => !isTexts(statement[name]));
  if (odd) return `the ${odd.toLowerCase()} ${JSON.stringify(statement[odd])}`;
  return Object.entries(Condition ?? {})
    .flatMap(([operator, keys]) => Object.keys(keys).map(key => [operator, key] as const))
    .find(([operator, key]) => !isKnownOperator(operator) || !contextKeys.includes(key))
    ?.join(' ');
};

const statementsIn = (text: string): readonly unknown[] | undefined => {
  const document = jsonIn(text);
  const statements = isJsonObject(document) ? document['Statement'] : undefined;
  return Array.isArray(statements) ? statements : undefined;
};

export type Policy = (request: PolicyRequest) => PolicyVerdict;

/**
 * Reads a queue's policy, which alone decides: a local role has none of its own. A policy with
 * anything that is not evaluated here is `unknown` as a whole.
 */
export const readPolicy = (text: string): Policy => {
  const statements = statementsIn(text);
  const [what] = statements?.flatMap(statement => unknownPart(statement) ?? []) ?? ['the text'];
  if (what !== undefined) return () => ({ kind: 'unknown', what });
  const resource = statements as readonly Statement[]; // their elements are known
  return request => {
    const { principalArn, action, resource: of } = request;
    const caller = { role: principalArn, account: principalArn.split(':')[4] ?? '' };
    const call = { caller, action, resource: of, context: contextOf(request) };
    return { kind: effectOf(call, { identity: [], resource }) };
  };
};

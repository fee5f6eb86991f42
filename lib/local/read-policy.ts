import { isJsonObject } from '../json/value.ts';

/** Who asks for what, in IAM's terms. */
export interface PolicyRequest {
  /** The caller's role, path included: a session counts as its role. */
  readonly principalArn: string;
  /** As policies write it, such as `sqs:ReceiveMessage`. */
  readonly action: string;
  readonly resource: string;
  /** The caller's connection: loopback counts as secure. */
  readonly secureTransport: boolean;
}

/** `silent`: no statement is about the request. `unknown`: the policy has something that is not evaluated here, and nothing may rely on it. */
export type PolicyVerdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'unknown'; readonly what: string };

type Test = (request: PolicyRequest) => boolean;

/** Thrown while a policy is read, and caught in `readPolicy`. */
class UnknownPart extends Error {}

const unknownPart = (what: string, value: unknown): UnknownPart =>
  new UnknownPart(`${what} ${JSON.stringify(value) ?? 'nothing'}`);

const textsOf = (what: string, value: unknown): readonly string[] => {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map(text => {
    if (typeof text === 'string') return text;
    throw unknownPart(what, value);
  });
};

const escaped = (text: string): string => text.replace(/[.+^${}()|[\]\\]/g, '\\$&');

/** IAM's wildcards: `*` for any text, `?` for any character. */
const wildcards = (pattern: string): RegExp =>
  new RegExp(`^${escaped(pattern).replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');

const arnParts = (arn: string): readonly string[] => {
  const [partition, service, region, account, kind, ...resource] = arn.split(':');
  return [partition ?? '', service ?? '', region ?? '', account ?? '', kind ?? '', resource.join(':')];
};

/** Each part of an ARN is compared for itself: a wildcard does not match a colon of another part (IAM, ARN condition operators). */
const arnLike = (pattern: string): ((arn: string) => boolean) => {
  const patterns = arnParts(pattern).map(wildcards);
  return arn => arnParts(arn).every((part, index) => patterns[index]?.test(part));
};

const principalTest = (value: unknown): Test => {
  if (value === '*') return () => true;
  if (!isJsonObject(value) || Object.keys(value).join() !== 'AWS') throw unknownPart('the principal', value);
  const roles = textsOf('the principal', value['AWS']);
  const other = roles.find(arn => !/^arn:[\w-]+:iam::\d{12}:role\/[\w+=,.@/-]+$/.test(arn));
  if (other !== undefined) throw unknownPart('the principal', other);
  return ({ principalArn }) => roles.includes(principalArn);
};

/** Names of actions do not depend on case (IAM, Action element). */
const actionTest = (value: unknown): Test => {
  const actions = textsOf('the action', value).map(action => action.toLowerCase());
  const other = actions.find(action => !/^sqs:(?:[a-z]+|\*)$/.test(action));
  if (other !== undefined) throw unknownPart('the action', other);
  return ({ action }) => actions.some(own => own === 'sqs:*' || own === action.toLowerCase());
};

const resourceTest = (value: unknown): Test => {
  const resources = textsOf('the resource', value);
  const other = resources.find(resource => /[*?]/.test(resource));
  if (other !== undefined) throw unknownPart('the resource', other);
  return ({ resource }) => resources.includes(resource);
};

/** The conditions that the bus writes, by operator and key. */
const conditions: Readonly<Record<string, (values: readonly string[]) => Test>> = {
  'ArnNotLike aws:PrincipalArn': patterns => {
    const tests = patterns.map(arnLike);
    return ({ principalArn }) => !tests.some(isLike => isLike(principalArn));
  },
  'Bool aws:SecureTransport': values => request => values.includes(String(request.secureTransport)),
};

/** All conditions of a statement must be met. */
const conditionTest = (value: unknown = {}): Test => {
  if (!isJsonObject(value)) throw unknownPart('the condition', value);
  const tests = Object.entries(value).flatMap(([operator, keys]) => {
    if (!isJsonObject(keys)) throw unknownPart('the condition', { [operator]: keys });
    return Object.entries(keys).map(([key, values]) => {
      const name = `${operator} ${key}`;
      const test = Object.hasOwn(conditions, name) ? conditions[name] : undefined;
      if (test === undefined) throw unknownPart('the condition', name);
      return test(textsOf('the condition', values));
    });
  });
  return request => tests.every(test => test(request));
};

/** The elements of a statement that are evaluated: `Sid` is only a name. */
const elements = ['Sid', 'Effect', 'Principal', 'Action', 'Resource', 'Condition'];

interface Statement {
  readonly effect: 'Allow' | 'Deny';
  readonly appliesTo: Test;
}

const statementOf = (value: unknown): Statement => {
  if (!isJsonObject(value)) throw unknownPart('the statement', value);
  const other = Object.keys(value).find(name => !elements.includes(name));
  if (other !== undefined) throw unknownPart('the element', other);
  const { Effect: effect } = value;
  if (effect !== 'Allow' && effect !== 'Deny') throw unknownPart('the effect', effect);
  const tests = [
    principalTest(value['Principal']),
    actionTest(value['Action']),
    resourceTest(value['Resource']),
    conditionTest(value['Condition']),
  ];
  return { effect, appliesTo: request => tests.every(test => test(request)) };
};

const statementsOf = (document: unknown): readonly Statement[] => {
  if (!isJsonObject(document) || !Array.isArray(document['Statement']))
    throw unknownPart('the document', document);
  const other = Object.keys(document).find(name => !['Version', 'Id', 'Statement'].includes(name));
  if (other !== undefined) throw unknownPart('the element', other);
  if (document['Version'] !== '2012-10-17') throw unknownPart('the version', document['Version']);
  return document['Statement'].map(statementOf);
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw unknownPart('the text', text.slice(0, 100));
  }
};

const verdictOf = (statements: readonly Statement[], request: PolicyRequest): PolicyVerdict => {
  const effects = statements.filter(({ appliesTo }) => appliesTo(request)).map(({ effect }) => effect);
  if (effects.includes('Deny')) return { kind: 'denied' };
  return effects.includes('Allow') ? { kind: 'allowed' } : { kind: 'silent' };
};

/** What a policy says to a request. */
export type Policy = (request: PolicyRequest) => PolicyVerdict;

/**
 * Reads a queue's policy. It knows the parts of IAM's policy language that the bus writes; a deny wins, and a policy with any other
 * part is `unknown` as a whole.
 *
 * @param text the JSON of the attribute `Policy`
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export const readPolicy = (text: string): Policy => {
  try {
    const statements = statementsOf(parsed(text));
    return request => verdictOf(statements, request);
  } catch (fault) {
    if (!(fault instanceof UnknownPart)) throw fault;
    const { message: what } = fault;
    return () => ({ kind: 'unknown', what });
  }
};

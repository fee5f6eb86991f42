import { isJsonObject, type JsonObject, jsonIn } from '../json/value.ts';
import { type Effect, effectOf, isKnownOperator, type Statement } from './iam.ts';

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
  | { readonly [Kind in Effect]: { readonly kind: Kind } }[Effect]
  | { readonly kind: 'unknown'; readonly what: string };

/** Thrown while a policy is read, and caught in `readPolicy`. */
class UnknownPart extends Error {}

const unknownPart = (what: string, value: unknown): UnknownPart =>
  new UnknownPart(`${what} ${JSON.stringify(value) ?? 'nothing'}`);

const checkTexts = (what: string, value: unknown): void => {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (texts.some(text => typeof text !== 'string')) throw unknownPart(what, value);
};

const membersOf = (what: string, value: unknown): JsonObject => {
  if (isJsonObject(value)) return value;
  throw unknownPart(what, value);
};

const checkNames = (value: JsonObject, known: readonly string[]): void => {
  const other = Object.keys(value).find(name => !known.includes(name));
  if (other !== undefined) throw unknownPart('the element', other);
};

const checkPrincipal = (value: unknown): void => {
  if (value === '*') return;
  for (const [kind, named] of Object.entries(membersOf('the principal', value))) {
    if (kind !== 'AWS' && kind !== 'Service') throw unknownPart('the principal', value);
    checkTexts('the principal', named);
  }
};

const contextOf = ({ principalArn, secureTransport }: PolicyRequest) => ({
  'aws:PrincipalArn': [principalArn],
  'aws:SecureTransport': [String(secureTransport)],
});

const checkCondition = (condition: unknown = {}): void => {
  for (const [operator, keys] of Object.entries(membersOf('the condition', condition)))
    for (const [key, values] of Object.entries(membersOf('the condition', keys))) {
      const isKnown = key === 'aws:PrincipalArn' || key === 'aws:SecureTransport';
      if (!isKnown || !isKnownOperator(operator)) throw unknownPart('the condition', `${operator} ${key}`);
      checkTexts('the condition', values);
    }
};

const statementOf = (value: unknown): Statement => {
  const statement = membersOf('the statement', value);
  checkNames(statement, ['Sid', 'Effect', 'Principal', 'Action', 'Resource', 'Condition']);
  const { Effect } = statement;
  if (Effect !== 'Allow' && Effect !== 'Deny') throw unknownPart('the effect', Effect);
  checkPrincipal(statement['Principal']);
  checkTexts('the action', statement['Action']);
  checkTexts('the resource', statement['Resource']);
  checkCondition(statement['Condition']);
  return statement as unknown as Statement; // each of its elements has been looked at
};

const statementsOf = (text: string): readonly Statement[] => {
  const document = jsonIn(text);
  if (document === undefined) throw unknownPart('the text', text.slice(0, 100));
  if (!isJsonObject(document) || !Array.isArray(document['Statement']))
    throw unknownPart('the document', document);
  checkNames(document, ['Version', 'Id', 'Statement']);
  if (document['Version'] !== '2012-10-17') throw unknownPart('the version', document['Version']);
  return document['Statement'].map(statementOf);
};

/** What a policy says to a request. */
export type Policy = (request: PolicyRequest) => PolicyVerdict;

/**
 * Reads a queue's policy, which alone decides: a local role has none of its own. A policy with anything that is not evaluated here is
 * `unknown` as a whole.
 *
 * @param text the JSON of the attribute `Policy`
 */
export const readPolicy = (text: string): Policy => {
  try {
    const resource = statementsOf(text);
    return request => {
      const { principalArn, action, resource: of } = request;
      const caller = { role: principalArn, account: principalArn.split(':')[4] ?? '' };
      return {
        kind: effectOf(
          { caller, action, resource: of, context: contextOf(request) },
          { identity: [], resource },
        ),
      };
    };
  } catch (error) {
    if (!(error instanceof UnknownPart)) throw error;
    const { message: what } = error;
    return () => ({ kind: 'unknown', what });
  }
};

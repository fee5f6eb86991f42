import { isJsonObject, textOf } from '../../../../lib/json/value.ts';
import type { Response } from './responses.ts';

/** What a request can be refused for, and how the engines say it. */
const kinds: Readonly<Record<string, RegExp>> = {
  syntax: /Syntax error|Expected |Unexpected token in |The expression can not be empty/,
  reserved: /reserved keyword/,
  functionName: /Invalid function name|is not allowed in an? \w+ expression/,
  use: /not allowed to be used this way/,
  parentheses: /redundant parentheses/,
  section: /section can only be used once/,
  operandCount: /Incorrect number of operands/,
  operandType: /Incorrect operand type|Operands for . must be numbers|requires two list operands/,
  distinct: /must be distinct from the remaining operands/,
  pathRequired: /requires a document path/,
  typeName: /Invalid attribute type name/,
  bounds: /BETWEEN operator requires/,
  undefinedName: /attribute name used in the document path is not defined/,
  undefinedValue: /attribute value used in expression is not defined/,
  clash: /Two document paths/,
  unused:
    /unused in expressions|must not be empty|contains invalid key|can only be specified when using expressions/,
  value:
    /contains invalid value|numeric value|into a number|38|Number (over|under)flow|may not be empty|should not be empty|duplicates|Null attribute value|Supplied AttributeValue/,
  key: /does not match the schema|Type mismatch|Invalid attribute value type|conditions on the keys|required keys|Missing the key|empty (string|binary) value|key is not supported|unsupported type/,
  keyPath: /Key attributes must be scalars/,
  keyChange: /Cannot update attribute/,
  keyCondition:
    /Query condition missed|partition key must use equality|key condition not supported|Invalid operator used|Unexpected operator in|value on the left|Invalid condition in|one condition per key|nested operations|of length 1 or 2|does not match schema type|Cannot convert \w+ key value|nested attributes/,
  filterKey: /can only contain non-primary key attributes/,
  select: /ALL_PROJECTED_ATTRIBUTES|ALL_ATTRIBUTES|Cannot specify the/,
  projected: /does not project/,
  startKey: /starting key|Exclusive Start Key|for attribute to update/,
  sameItem: /multiple operations on one item/,
  missingAttribute: /refers to an attribute that does not exist/,
  wrongPath: /document path provided in the update expression is invalid/,
  dataType: /incorrect data type/,
};

/** What a message says is wrong; undefined if it is nothing that is known here. */
export const refusalKind = (message: string): string | undefined =>
  Object.keys(kinds).find(kind => kinds[kind]?.test(message));

const reasonMessages = ({ body }: Response): readonly string[] => {
  const reasons = body['CancellationReasons'];
  if (!Array.isArray(reasons)) return [];
  return reasons
    .filter(reason => isJsonObject(reason) && reason['Code'] === 'ValidationError')
    .map(reason => textOf(reason, 'Message'));
};

/** The messages of a refusal for what was requested: of the request, or of writes in a transaction. */
export const refusalMessages = (response: Response): readonly string[] => {
  if (response.error === 'ValidationException') return [response.message ?? ''];
  return response.error === 'TransactionCanceledException' ? reasonMessages(response) : [];
};

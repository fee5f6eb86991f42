import { isJsonObject, textOf } from '../../../../lib/json/value.ts';
import type { Response } from './responses.ts';

/** What a request can be refused for, and how the engines say it. */
const kinds: Readonly<Record<string, RegExp>> = {
  syntax: /Syntax error|The expression can not be empty/,
  reserved: /reserved keyword/,
  functionName: /Invalid function name|is not allowed in an? \w+ expression/,
  use: /not allowed to be used this way/,
  parentheses: /redundant parentheses/,
  section: /section can only be used once/,
  operandCount: /Incorrect number of operands/,
  operandType: /Incorrect operand type/,
  bounds: /BETWEEN operator requires/,
  undefinedName: /attribute name used in the document path is not defined/,
  undefinedValue: /attribute value used in expression is not defined/,
  clash: /Two document paths/,
  unused: /unused in expressions|must not be empty|contains invalid key/,
  value: /values without a type|invalid value|numeric value|duplicates|Supplied AttributeValue/,
  key: /does not match the schema|Type mismatch|Missing the key|empty (string|binary) value|key is not supported/,
  keyChange: /Cannot update attribute/,
  keyCondition:
    /Query condition missed|key condition not supported|Invalid operator used|Invalid condition in|one condition per key|does not match schema type/,
  sameItem: /multiple operations on one item/,
  missingAttribute: /refers to an attribute that does not exist/,
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

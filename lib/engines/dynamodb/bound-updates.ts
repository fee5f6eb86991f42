import { type Path, pathClash } from './paths.ts';
import type { Placeholders } from './placeholders.ts';
import { invalidExpression } from './tokens.ts';
import { parseUpdate, type SetValue, type UpdateAction } from './updates.ts';
import { typeOf, type Value, type ValueType } from './values.ts';

type UpdateFunction = 'if_not_exists' | 'list_append' | '+' | '-';

/** The right side of a SET action whose names and values are known. */
export type BoundSetValue =
  | { readonly path: Path }
  | { readonly value: Value }
  | {
      readonly call: UpdateFunction;
      readonly operands: readonly [BoundSetValue, BoundSetValue];
    };

/** An action whose names and values are known, and whose operands have types that it accepts. */
export type BoundAction =
  | { readonly action: 'SET'; readonly path: Path; readonly to: BoundSetValue }
  | { readonly action: 'REMOVE'; readonly path: Path }
  | { readonly action: 'ADD' | 'DELETE'; readonly path: Path; readonly value: Value };

const kind = 'UpdateExpression';

const fail = (reason: string) => invalidExpression(kind, reason);

const wrongOperand = (operator: string, type: string) =>
  fail(
    `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${type}`,
  );

/** The type that a value surely has; undefined if it depends on the item. */
const knownType = (value: BoundSetValue): ValueType | undefined => {
  if ('value' in value) return typeOf(value.value);
  if ('path' in value) return undefined;
  if (value.call === 'list_append') return 'L';
  return value.call === 'if_not_exists' ? undefined : 'N';
};

const checkCall = (call: string, operands: readonly BoundSetValue[]): void => {
  const [first, second] = operands;
  if (operands.length !== 2)
    throw fail(
      `Incorrect number of operands for operator or function; operator or function: ${call}, number of operands: ${operands.length}`,
    );
  if (call === 'if_not_exists') {
    if (first !== undefined && !('path' in first))
      throw fail(`Operator or function requires a document path; operator or function: ${call}`);
    return;
  }
  const expected = call === 'list_append' ? 'L' : 'N';
  for (const operand of [first, second]) {
    const type = operand && knownType(operand);
    if (type !== undefined && type !== expected) throw wrongOperand(call, type);
  }
};

const bindSetValue = (value: SetValue, placeholders: Placeholders): BoundSetValue => {
  if ('path' in value) return { path: placeholders.path(kind, value.path) };
  if ('value' in value) return { value: placeholders.value(kind, value.value) };
  const operands = value.operands.map(operand => bindSetValue(operand, placeholders));
  const [first, second] = operands;
  checkCall(value.call, operands);
  if (first === undefined || second === undefined) throw new Error('A checked function has two operands.');
  return { call: value.call as UpdateFunction, operands: [first, second] }; // the parser knows no other
};

/** How messages about ADD and DELETE name types. */
const longNames: Readonly<Partial<Record<ValueType, string>>> = {
  S: 'STRING',
  N: 'NUMBER',
  B: 'BINARY',
  NULL: 'NULL',
  BOOL: 'BOOLEAN',
  L: 'LIST',
  M: 'MAP',
};

const checkAddOrDelete = (action: 'ADD' | 'DELETE', value: Value): void => {
  const type = typeOf(value);
  const name = longNames[type];
  if (name === undefined || (action === 'ADD' && type === 'N')) return;
  const typeSet = action === 'ADD' ? 'ALLOWED_FOR_ADD_OPERAND' : 'ALLOWED_FOR_DELETE_OPERAND';
  throw fail(
    `Incorrect operand type for operator or function; operator: ${action}, operand type: ${name}, typeSet: ${typeSet}`,
  );
};

const bindAction = (action: UpdateAction, placeholders: Placeholders): BoundAction => {
  const path = placeholders.path(kind, action.path);
  if (action.action === 'REMOVE') return { action: 'REMOVE', path };
  if (action.action === 'SET') return { action: 'SET', path, to: bindSetValue(action.to, placeholders) };
  const value = placeholders.value(kind, action.value);
  checkAddOrDelete(action.action, value);
  return { action: action.action, path, value };
};

const checkPaths = (actions: readonly BoundAction[]): void => {
  actions.forEach(({ path }, at) => {
    for (const other of actions.slice(0, at)) {
      const clash = pathClash(other.path, path);
      if (clash !== undefined) throw fail(clash);
    }
  });
};

/**
 * The actions of an update expression, ready to be applied.
 *
 * @throws AwsError if the expression is not valid
 */
export const boundUpdate = (text: string, placeholders: Placeholders): readonly BoundAction[] => {
  const actions = parseUpdate(text).map(action => bindAction(action, placeholders));
  checkPaths(actions);
  return actions;
};

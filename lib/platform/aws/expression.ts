/** A part of an expression of DynamoDB, with its values in place; `placeholder` names each one. */
export type Expression = (placeholder: (value: unknown) => string) => string;

export const isExpression = (value: unknown): value is Expression => typeof value === 'function';

/**
 * Writes an expression: `#name` is the attribute `name`, needed for reserved words; `${…}` a value,
 * or another expression.
 */
export const expr =
  ({ raw }: TemplateStringsArray, ...values: readonly unknown[]): Expression =>
  placeholder =>
    String.raw(
      { raw },
      ...values.map(one => (isExpression(one) ? one(placeholder) : placeholder(one))),
    );

export const attribute =
  (name: string): Expression =>
  () =>
    `#${name}`;

export const joined =
  (all: readonly Expression[], separator: string): Expression =>
  placeholder =>
    all.map(one => one(placeholder)).join(separator);

/** `name = value` for each member of an item, in a SET. */
export const assignments = (members: Readonly<Record<string, unknown>>): Expression =>
  joined(
    Object.entries(members).map(([name, value]) => expr`${attribute(name)} = ${value}`),
    ', ',
  );

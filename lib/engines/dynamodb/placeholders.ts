import type { JsonObject } from '../../json/value.ts';
import { AwsError, mapOf, textMapOf } from '../aws-json/input.ts';
import { invalid } from './requests.ts';
import { type ExpressionKind, invalidExpression } from './tokens.ts';
import { readValue, type Value } from './values.ts';

const nameKey = /^#[A-Za-z0-9_]+$/;
const valueKey = /^:[A-Za-z0-9_]+$/;

const badKey = (parameter: string, key: string) =>
  invalid(`${parameter} contains invalid key: Syntax error; key: "${key}"`);

const readNames = (input: JsonObject): ReadonlyMap<string, string> => {
  const names = textMapOf(input, 'ExpressionAttributeNames');
  if (names === undefined) return new Map();
  const entries = Object.entries(names);
  if (entries.length === 0) throw invalid('ExpressionAttributeNames must not be empty');
  for (const [key, name] of entries) {
    if (!nameKey.test(key)) throw badKey('ExpressionAttributeNames', key);
    if (name === '')
      throw invalid(`ExpressionAttributeNames contains invalid value: Empty attribute name for key ${key}`);
  }
  return new Map(entries);
};

const readNamedValue = (key: string, input: unknown): Value => {
  if (!valueKey.test(key)) throw badKey('ExpressionAttributeValues', key);
  try {
    return readValue(input);
  } catch (error) {
    if (!(error instanceof AwsError) || !error.shape.type.endsWith('ValidationException')) throw error;
    throw invalid(`ExpressionAttributeValues contains invalid value: ${error.message} for key ${key}`);
  }
};

const readValues = (input: JsonObject): ReadonlyMap<string, Value> => {
  const values = mapOf(input, 'ExpressionAttributeValues');
  if (values === undefined) return new Map();
  const entries = Object.entries(values);
  if (entries.length === 0) throw invalid('ExpressionAttributeValues must not be empty');
  return new Map(entries.map(([key, value]) => [key, readNamedValue(key, value)]));
};

const checkAllUsed = (parameter: string, all: Iterable<string>, used: ReadonlySet<string>): void => {
  const unused = [...all].filter(key => !used.has(key));
  if (unused.length > 0)
    throw invalid(`Value provided in ${parameter} unused in expressions: keys: {${unused.join(', ')}}`);
};

export class Placeholders {
  readonly #names: ReadonlyMap<string, string>;
  readonly #values: ReadonlyMap<string, Value>;
  readonly #used = new Set<string>();

  constructor(input: JsonObject) {
    this.#names = readNames(input);
    this.#values = readValues(input);
  }

  attribute(kind: ExpressionKind, key: string): string {
    if (!key.startsWith('#')) return key;
    const name = this.#names.get(key);
    this.#used.add(key);
    if (name !== undefined) return name;
    throw invalidExpression(
      kind,
      `An expression attribute name used in the document path is not defined; attribute name: ${key}`,
    );
  }

  value(kind: ExpressionKind, key: string): Value {
    const value = this.#values.get(key);
    this.#used.add(key);
    if (value !== undefined) return value;
    throw invalidExpression(
      kind,
      `An expression attribute value used in expression is not defined; attribute value: ${key}`,
    );
  }

  /**
   * Checks that the call's expressions used every name and value.
   *
   * @param expressions the expressions that the call may have, and whether it has them
   */
  checkAllUsed(expressions: Readonly<Partial<Record<ExpressionKind, unknown>>>): void {
    const given = Object.values(expressions).some(expression => (expression ?? undefined) !== undefined);
    if (!given && this.#names.size + this.#values.size > 0)
      throw invalid('Expression attributes can only be specified when using expressions');
    checkAllUsed('ExpressionAttributeNames', this.#names.keys(), this.#used);
    checkAllUsed('ExpressionAttributeValues', this.#values.keys(), this.#used);
  }
}

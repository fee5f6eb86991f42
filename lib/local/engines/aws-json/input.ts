import { isJsonObject, type JsonObject } from '../../../platform/json/value.ts';

export interface AwsErrorShape {
  /** `namespace#Name`. */
  readonly type: string;
  readonly status: number;
  /**
   * The code of the older query protocol, which SDKs of services that once spoke it report instead.
   */
  readonly queryCode?: string;
}

/** A refusal in a service's own words: the request was understood and cannot be done. */
export class AwsError extends Error {
  readonly shape: AwsErrorShape;
  /** What the error carries beside its message, such as a transaction's `CancellationReasons`. */
  readonly members: JsonObject;

  constructor(shape: AwsErrorShape, message: string, members: JsonObject = {}) {
    super(message);
    this.name = shape.type.slice(shape.type.indexOf('#') + 1);
    this.shape = shape;
    this.members = members;
  }
}

const coral = (name: string, status: number): AwsErrorShape => ({
  type: `com.amazon.coral.service#${name}`,
  status,
});

export const protocolErrors = {
  serialization: coral('SerializationException', 400),
  unknownOperation: coral('UnknownOperationException', 400),
  accessDenied: coral('AccessDeniedException', 403),
  tooLarge: coral('RequestEntityTooLargeException', 413),
  internalFailure: coral('InternalFailure', 500),
  unavailable: coral('ServiceUnavailableException', 503),
} as const;

const wrongType = (name: string, expected: string) =>
  new AwsError(protocolErrors.serialization, `${name} must be ${expected}`);

export const objectInput = (value: unknown, name: string): JsonObject => {
  if (isJsonObject(value)) return value;
  throw wrongType(name, 'an object');
};

type ParameterCheck = (what: string, input: JsonObject, known: readonly string[]) => void;

/**
 * A check that a request, or a part of one, has nothing that a local engine does not implement. AWS
 * reads null as absent.
 */
export const parameterCheck =
  (service: string, refusal: (message: string) => AwsError): ParameterCheck =>
  (what, input, known) => {
    for (const name in input)
      if (!known.includes(name) && (input[name] ?? undefined) !== undefined)
        throw refusal(
          `The local ${service} engine does not support the parameter ${name} of ${what}.`,
        );
  };

export interface OperationRow<State, Rest extends readonly unknown[], Result> {
  run(state: State, input: JsonObject, ...rest: Rest): Result;
  readonly parameters: readonly string[];
}

/** A service's operations by name. */
export const operationsOf = <State, Rest extends readonly unknown[], Result>(
  state: State,
  rows: Readonly<Record<string, OperationRow<State, Rest, Result>>>,
  check: ParameterCheck,
): ReadonlyMap<string, (input: JsonObject, ...rest: Rest) => Result> =>
  new Map(
    Object.entries(rows).map(([name, { run, parameters }]) => [
      name,
      (input, ...rest) => {
        check(name, input, parameters);
        return run(state, input, ...rest);
      },
    ]),
  );

/** Reads one member: undefined when it is absent or null (as AWS reads both). */
const reader =
  <T>(expected: string, is: (value: unknown) => value is T) =>
  (input: JsonObject, name: string): T | undefined => {
    const value = input[name] ?? undefined;
    if (value === undefined || is(value)) return value;
    throw wrongType(name, expected);
  };

export const textInput = reader('a string', value => typeof value === 'string');
export const integerInput = reader('a whole number', (value): value is number =>
  Number.isSafeInteger(value),
);
export const booleanInput = reader('true or false', value => typeof value === 'boolean');
export const listInput = reader('a list', (value): value is readonly unknown[] =>
  Array.isArray(value),
);

export const requiredText = (input: JsonObject, name: string): string => {
  const value = textInput(input, name);
  if (value !== undefined) return value;
  throw wrongType(name, 'a string');
};

/** The members of a list; none when it is absent. */
export const objectsOf = (input: JsonObject, name: string): readonly JsonObject[] =>
  (listInput(input, name) ?? []).map(value => objectInput(value, name));

/** Bytes: they come as base64 over the wire, and as such from an SDK in this process. */
export const bytesOf = (input: JsonObject, name: string): Uint8Array => {
  const value = input[name];
  if (value instanceof Uint8Array) return value;
  return Buffer.from(requiredText(input, name), 'base64');
};

export const mapOf = (input: JsonObject, name: string): JsonObject | undefined => {
  const value = input[name] ?? undefined;
  if (value === undefined) return undefined;
  return objectInput(value, name);
};

export const textListOf = (input: JsonObject, name: string): readonly string[] | undefined => {
  return listInput(input, name)?.map(item => {
    if (typeof item === 'string') return item;
    throw wrongType(name, 'a list of strings');
  });
};

export const textMapOf = (
  input: JsonObject,
  name: string,
): Readonly<Record<string, string>> | undefined => {
  const map = mapOf(input, name);
  if (map === undefined) return undefined;
  const entries = Object.entries(map).flatMap(([key, value]): [string, string][] => {
    if (typeof value === 'string') return [[key, value]];
    if (value === undefined) return [];
    throw wrongType(`${name}.${key}`, 'a string');
  });
  return Object.fromEntries(entries);
};

/** A value as AWS's JSON protocols write it: bytes as base64, times as epoch seconds. */
const onWire = (value: unknown): unknown => {
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  if (value instanceof Date) return value.getTime() / 1000;
  if (Array.isArray(value)) return value.map(onWire);
  if (isJsonObject(value)) return objectOnWire(value);
  return value;
};

export const objectOnWire = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, onWire(value)]));

import {
  AwsError,
  booleanInput,
  bytesOf,
  integerInput,
  listInput,
  mapOf,
  objectInput,
  objectOnWire,
  objectsOf,
  operationsOf,
  parameterCheck,
  protocolErrors,
  requiredText,
  textInput,
  textListOf,
  textMapOf,
} from '../../../../lib/local/engines/aws-json/input.ts';
import type { JsonObject } from '../../../../lib/platform/json/value.ts';

test.each([
  ['com.example#Nope', 'Nope'],
  ['Nope', 'Nope'],
])('an error of the type %s is called %s, as an SDK calls it', (type, name) => {
  const error = new AwsError({ type, status: 400 }, 'not today', { reasons: [1] });
  expect(error).toMatchObject({ name, message: 'not today', members: { reasons: [1] } });
});

test('the errors of the protocol have the statuses of AWS', () => {
  const told = Object.values(protocolErrors).map(({ type, status }) => [
    type.replace('com.amazon.coral.service#', ''),
    status,
  ]);
  expect(Object.fromEntries(told)).toEqual({
    SerializationException: 400,
    UnknownOperationException: 400,
    AccessDeniedException: 403,
    RequestEntityTooLargeException: 413,
    InternalFailure: 500,
    ServiceUnavailableException: 503,
  });
});

type Read = (input: JsonObject, name: string) => unknown;

describe('a member of an input', () => {
  test.each<[string, Read, unknown]>([
    ['a text', textInput, 'a'],
    ['a whole number', integerInput, 7],
    ['true or false', booleanInput, false],
    ['a list', listInput, [1]],
    ['a map', mapOf, { a: 1 }],
    ['a list of texts', textListOf, ['a']],
    ['a map of texts', textMapOf, { a: 'b' }],
  ])('that is %s is read, and absent if it is null', (_what, read, value) => {
    expect(read({ a: value }, 'a')).toEqual(value);
    expect([read({ a: null }, 'a'), read({}, 'a')]).toEqual([undefined, undefined]);
  });

  test.each<[string, Read, unknown]>([
    ['a must be a string', textInput, 1],
    ['a must be a string', requiredText, undefined],
    ['a must be a string', requiredText, null],
    ['a must be a whole number', integerInput, 1.5],
    ['a must be true or false', booleanInput, 'true'],
    ['a must be a list', listInput, {}],
    ['a must be an object', mapOf, []],
    ['a must be an object', objectsOf, [{}, 1]],
    ['a must be a list of strings', textListOf, ['a', 1]],
    ['a.b must be a string', textMapOf, { b: 1 }],
  ])('of another type is refused: %s', (message, read, value) => {
    expect(() => read({ a: value }, 'a')).toThrow(message);
  });

  test('may be bytes, in this process as such', () => {
    const bytes = new Uint8Array([1, 2]);
    expect(bytesOf({ a: bytes }, 'a')).toBe(bytes);
    expect([...bytesOf({ a: 'AQI=' }, 'a')]).toEqual([1, 2]);
  });

  test('may be a list of objects, or none', () => {
    expect([objectsOf({ a: [{ b: 1 }] }, 'a'), objectsOf({}, 'a')]).toEqual([[{ b: 1 }], []]);
    expect(objectInput({ b: 1 }, 'a')).toEqual({ b: 1 });
  });

  test('of a map of texts may be absent', () => {
    expect(textMapOf({ a: { b: undefined, c: 'd' } }, 'a')).toEqual({ c: 'd' });
  });
});

test('an operation runs on its state, with the parameters that it knows', () => {
  const refusal = (message: string) => new AwsError({ type: 'Odd', status: 400 }, message);
  const run = (state: string, { a }: JsonObject, rest: string) => [state, a, rest];
  const rows = { Do: { run, parameters: ['a'] } };
  const operate = operationsOf('state', rows, parameterCheck('Test', refusal)).get('Do');
  expect(operate?.({ a: 1, b: null }, 'rest')).toEqual(['state', 1, 'rest']);
  expect(() => operate?.({ a: 1, b: false }, 'rest')).toThrow(
    'The local Test engine does not support the parameter b of Do.',
  );
});

test('bytes go over the wire as base64, times as seconds, at any depth', () => {
  const whole = new Uint8Array([9, 1, 2, 9]);
  const part = whole.subarray(1, 3);
  const at = new Date(1_500);
  expect(objectOnWire({ part, at, list: [{ part }, 'a'], map: { at }, none: null })).toEqual({
    part: 'AQI=',
    at: 1.5,
    list: [{ part: 'AQI=' }, 'a'],
    map: { at: 1.5 },
    none: null,
  });
});

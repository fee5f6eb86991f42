import fc, { type Arbitrary } from 'fast-check';

export const oneOf = (...values: readonly string[]): Arbitrary<string> =>
  fc.constantFrom(...values);

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');

export const text = oneOf('a', 'b', 'ab', 'abc', 'é', '\u{1f600}', '\uffee', '', 'x y', '#', 'zz');
export const number = fc.oneof(
  fc.integer({ min: -12, max: 12 }).map(String),
  oneOf('0.5', '-0.25', '1e2', '1.10', '1e-5', '-0', '100', '123456789'),
);
const badNumber = oneOf('abc', '');
export const bytes = oneOf('', '\0', '\x01', '\xff', 'ab', 'abc', '\xff\xff').map(base64);

export const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)];
const some = (values: Arbitrary<string>) =>
  fc.array(values, { minLength: 1, maxLength: 3 }).map(distinct);

const scalar = fc.oneof(
  { weight: 4, arbitrary: text.map(S => ({ S })) },
  { weight: 5, arbitrary: number.map(N => ({ N })) },
  bytes.map(B => ({ B })),
  fc.boolean().map(BOOL => ({ BOOL })),
  fc.constant({ NULL: true }),
);

export const set = fc.oneof(
  some(text).map(SS => ({ SS })),
  some(fc.integer({ min: -3, max: 5 }).map(String)).map(NS => ({ NS })),
);

export const memberName = oneOf('x', 'y', 'z', 'status');

const { value } = fc.letrec<{ value: object }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'value' },
    { weight: 4, arbitrary: scalar },
    { weight: 2, arbitrary: set },
    fc.array(tie('value'), { maxLength: 3, depthIdentifier: 'value' }).map(L => ({ L })),
    fc
      .dictionary(memberName, tie('value'), { maxKeys: 3, depthIdentifier: 'value' })
      .map(M => ({ M })),
  ),
}));

const badValue = fc.oneof(
  badNumber.map(N => ({ N })),
  fc.constantFrom<object>({}, { L: [{}] }),
);

export const anyValue = fc.oneof(
  { weight: 60, arbitrary: value },
  { weight: 1, arbitrary: badValue },
);

export const rarely = <T>(usual: Arbitrary<T>, rare: Arbitrary<T>, weight = 60): Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: rare });

export { fc };

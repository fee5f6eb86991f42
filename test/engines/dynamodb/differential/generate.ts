import fc, { type Arbitrary } from 'fast-check';

/** A call of DynamoDB, in wire form; `TABLE` stands for the history's table. */
export interface Call {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A table, and calls on it, in order. */
export interface History {
  readonly table: keyof typeof tables;
  readonly calls: readonly Call[];
}

const key = (partition: string, sort?: string) => [
  { AttributeName: partition, KeyType: 'HASH' },
  ...(sort ? [{ AttributeName: sort, KeyType: 'RANGE' }] : []),
];

const attributes = (types: Readonly<Record<string, string>>) =>
  Object.entries(types).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));

const index = (IndexName: string, [partition, sort]: readonly [string, string], ProjectionType: string) => ({
  IndexName,
  KeySchema: key(partition, sort),
  Projection: { ProjectionType },
});

const indexes = [index('keys', ['g', 'n'], 'KEYS_ONLY'), index('all', ['g', 'sk'], 'ALL')];

/** One table for each type of sort key. */
export const tables = {
  texts: {
    KeySchema: key('pk', 'sk'),
    AttributeDefinitions: attributes({ pk: 'S', sk: 'S', g: 'S', n: 'N' }),
    GlobalSecondaryIndexes: indexes,
  },
  numbers: {
    KeySchema: key('pk', 'sk'),
    AttributeDefinitions: attributes({ pk: 'S', sk: 'N', g: 'S', n: 'N' }),
    GlobalSecondaryIndexes: indexes,
  },
} as const;

const oneOf = (...values: readonly string[]): Arbitrary<string> => fc.constantFrom(...values);

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');

const text = oneOf('a', 'b', 'ab', 'abc', 'é', '\u{1f600}', '\uffee', '', 'x y', '#', 'zz');
const number = fc.oneof(
  fc.integer({ min: -12, max: 12 }).map(String),
  oneOf('0.5', '-0.25', '1e2', '1.10', '1e-5', '-0', '100', '123456789'),
);
const badNumber = oneOf('abc', '');
const bytes = oneOf('', '\0', '\x01', '\xff', 'ab', 'abc', '\xff\xff').map(base64);

const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)];
const some = (values: Arbitrary<string>) => fc.array(values, { minLength: 1, maxLength: 3 }).map(distinct);

const scalar = fc.oneof(
  { weight: 4, arbitrary: text.map(S => ({ S })) },
  { weight: 5, arbitrary: number.map(N => ({ N })) },
  bytes.map(B => ({ B })),
  fc.boolean().map(BOOL => ({ BOOL })),
  fc.constant({ NULL: true }),
);

const set = fc.oneof(
  some(text).map(SS => ({ SS })),
  some(fc.integer({ min: -3, max: 5 }).map(String)).map(NS => ({ NS })),
);

const memberName = oneOf('x', 'y', 'z', 'status');

const { value } = fc.letrec<{ value: object }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'value' },
    { weight: 4, arbitrary: scalar },
    { weight: 2, arbitrary: set },
    fc.array(tie('value'), { maxLength: 3, depthIdentifier: 'value' }).map(L => ({ L })),
    fc.dictionary(memberName, tie('value'), { maxKeys: 3, depthIdentifier: 'value' }).map(M => ({ M })),
  ),
}));

const badValue = fc.oneof(
  badNumber.map(N => ({ N })),
  fc.constantFrom<object>({}, { L: [{}] }),
);

const anyValue = fc.oneof({ weight: 60, arbitrary: value }, { weight: 1, arbitrary: badValue });

const sortKeys: Readonly<Record<keyof typeof tables, Arbitrary<object>>> = {
  texts: oneOf('a', 'ab', 'abc', 'b', 'é', '\u{1f600}', '\uffee').map(S => ({ S })),
  numbers: oneOf('0', '1', '-1', '10', '-10', '2', '1.5', '-1.25', '1e15', '1e-5', '-1e15').map(N => ({
    N,
  })),
};

const wrongKeyValue = fc.constantFrom<object>({ S: '' }, { N: '1' }, { BOOL: true }, { S: 'a' }, { B: '' });

const rarely = <T>(usual: Arbitrary<T>, rare: Arbitrary<T>, weight = 60): Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: rare });

const partitionKey = oneOf('p', 'q').map((S): object => ({ S }));

/** The arbitraries of a table's calls. */
export const callsOn = (table: keyof typeof tables) => {
  const sk = rarely(sortKeys[table], wrongKeyValue);
  const itemKey: Arbitrary<object> = rarely(
    fc.record({ pk: rarely(partitionKey, wrongKeyValue), sk }),
    fc.record({ pk: partitionKey }) as Arbitrary<object>,
    100,
  );
  return { itemKey, sk, item: itemOf(itemKey) };
};

const optional = { requiredKeys: [] as [] };

const itemOf = (itemKey: Arbitrary<object>): Arbitrary<object> =>
  fc
    .tuple(
      itemKey,
      fc.record(
        {
          a: anyValue,
          b: anyValue,
          status: anyValue,
          l: fc.array(anyValue, { maxLength: 4 }).map(L => ({ L })),
          m: fc.dictionary(memberName, anyValue, { maxKeys: 3 }).map(M => ({ M })),
          ss: set,
          c: number.map(N => ({ N })),
          g: rarely(
            oneOf('g1', 'g2').map((S): object => ({ S })),
            anyValue,
            20,
          ),
          n: rarely(
            number.map((N): object => ({ N })),
            anyValue,
            20,
          ),
        },
        optional,
      ),
    )
    .map(([keys, others]) => ({ ...others, ...keys }));

export { anyValue, bytes, distinct, fc, number, oneOf, partitionKey, rarely, set, text };

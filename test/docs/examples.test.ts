import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import descriptions from '../../lib/generated/openapi.generated.json';

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);

interface Example {
  readonly id: string;
  readonly value: unknown;
}

const escaped = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Every example of a description, with the address of the schema it stands beside. */
const examplesIn = (value: unknown, at: string): readonly Example[] => {
  if (typeof value !== 'object' || value === null) return [];
  if ('schema' in value && 'examples' in value && !Array.isArray(value.examples)) {
    const { examples } = value as { examples: Record<string, { value: unknown }> };
    return Object.values(examples).map(example => ({ id: `${at}/schema`, value: example.value }));
  }
  return Object.entries(value).flatMap(([key, inner]) => examplesIn(inner, `${at}/${escaped(key)}`));
};

describe.each(['bus', 'portal'] as const)('the description of the %s', api => {
  ajv.addSchema({ ...descriptions[api], $id: `${api}:/` });
  const examples = examplesIn(descriptions[api], `${api}:/#`);

  test('has examples of requests and answers', () => {
    expect(examples.some(({ id }) => id.includes('/requestBody/'))).toBe(true);
    expect(examples.some(({ id }) => id.includes('/responses/'))).toBe(true);
  });

  test.each(examples)('$id takes its example', ({ id, value }) => {
    const validate = ajv.compile({ $ref: id });
    expect([validate(value), validate.errors]).toEqual([true, null]);
  });
});

test('a pull is shown with a message', () => {
  const { examples } =
    descriptions.bus.paths['/v1/tenants/{t}/consumers/{c}/messages'].get.responses['200'].content[
      'application/json; charset=utf-8'
    ];
  expect(examples.one.value.messages).toHaveLength(1);
});

/** An operation's text, with the responses that it shares with others. */
const operationText = (operation: unknown): string =>
  JSON.stringify(operation).replace(
    /\{"\$ref":"#\/components\/responses\/([\w-]+)"\}/g,
    (_match, name: string) => JSON.stringify(Reflect.get(descriptions.bus.components.responses, name)),
  );

test('headers of a quota are described where requests are charged to a connection, and nowhere else', () => {
  const charged = Object.entries(descriptions.bus.paths).flatMap(([path, item]) =>
    Object.values(item).some(operation => operationText(operation).includes('headers/ratelimit'))
      ? [path]
      : [],
  );
  expect(charged).toEqual(
    expect.not.arrayContaining(['/v1/health', '/v1/oauth/jwks', '/v1/oauth/token', '/v1/messages']),
  );
  expect(charged).toEqual(expect.arrayContaining(['/v1/tenants/{t}/messages', '/v1/tenants/{t}/validate']));
  expect(charged.filter(path => path.includes('/iam/'))).toEqual([]);
});

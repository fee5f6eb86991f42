import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Route } from '../../lib/contract/route.ts';
import { routes } from '../../lib/contract/routes.ts';
import descriptions from '../../lib/generated/openapi.generated.json';
import { describedPath } from '../../scripts/descriptions/paths.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);

interface Example {
  readonly id: string;
  readonly value: unknown;
}

const escaped = (key: string): string =>
  encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Every example of a description, with the address of the schema it stands beside. */
const examplesIn = (value: unknown, at: string): readonly Example[] => {
  if (typeof value !== 'object' || value === null) return [];
  if ('schema' in value && 'examples' in value && !Array.isArray(value.examples)) {
    const { examples } = value as { examples: Record<string, { value: unknown }> };
    return Object.values(examples).map(example => ({ id: `${at}/schema`, value: example.value }));
  }
  return Object.entries(value).flatMap(([key, inner]) =>
    examplesIn(inner, `${at}/${escaped(key)}`),
  );
};

describe.each(['bus', 'portal'] as const)('the description of the %s', api => {
  ajv.addSchema({ ...descriptions[api], $id: `${api}:/` });
  const examples = examplesIn(descriptions[api], `${api}:/#`);

  test.each(examples)('$id takes its example', ({ id, value }) => {
    const validate = ajv.compile({ $ref: id });
    expect([validate(value), validate.errors]).toEqual([true, null]);
  });
});

test('headers of a quota are described on the routes that count against one, and nowhere else', () => {
  const shared: Readonly<Record<string, object>> = descriptions.bus.components.responses;
  const chargesIn = (operation: object): boolean => {
    const text = JSON.stringify(operation);
    const named = [...text.matchAll(/components\/responses\/([\w-]+)/g)].map(
      ([, name = '']) => shared[name],
    );
    return `${text}${JSON.stringify(named)}`.includes('headers/ratelimit');
  };
  const charged = Object.entries(descriptions.bus.paths).flatMap(([path, item]) =>
    Object.values(item).some(chargesIn) ? [path] : [],
  );
  const counted = Object.values<Route>(routes).flatMap(({ path, quota }) =>
    quota ? [describedPath(path)] : [],
  );
  expect(charged.sort()).toEqual([...new Set(counted)].sort());
  expect(charged).toEqual(
    expect.not.arrayContaining(['/v1/health', '/v1/oauth/jwks', '/v1/oauth/token', '/v1/messages']),
  );
  expect(charged).toEqual(
    expect.arrayContaining([
      '/v1/tenants/{workspace}/messages',
      '/v1/tenants/{workspace}/validate',
    ]),
  );
  expect(charged.filter(path => path.includes('/iam/'))).toEqual([]);
});

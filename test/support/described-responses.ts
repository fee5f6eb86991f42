import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { schemaNames } from '../../lib/contract/message-types.ts';
import descriptions from '../../lib/generated/openapi.generated.json';
import { isJsonObject } from '../../lib/platform/json/value.ts';

/** One exchange, as a client saw it. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** Where both have the path; otherwise, the path tells. */
  readonly api?: Api;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Response {
  readonly headers?: Readonly<
    Record<string, { readonly $ref?: string; readonly required?: boolean }>
  >;
  readonly content?: Readonly<Record<string, object>>;
  readonly 'x-rules'?: readonly string[];
}

type Api = keyof typeof descriptions;

interface Found {
  readonly api: Api;
  /** JSON pointer of the response in the description. */
  readonly pointer: string;
}

/** Headers of the transport: they say nothing about the service. */
const transport = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
]);

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
for (const [api, description] of Object.entries(descriptions))
  ajv.addSchema({ ...description, $id: `${api}:/` });

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

const at = (api: Api, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null
          ? (value as Record<string, unknown>)[key]
          : undefined,
      descriptions[api],
    );

/** Follows a reference of the description, once. */
const resolved = (api: Api, pointer: string): string => {
  const value = at(api, pointer);
  return typeof value === 'object' && value !== null && '$ref' in value
    ? String(value.$ref).slice(1)
    : pointer;
};

const matches = (template: string, path: string): boolean => {
  const [expected, actual] = [template.split('/'), path.split('/')];
  return (
    expected.length === actual.length &&
    expected.every((part, index) =>
      part.startsWith('{') ? actual[index] !== '' : part === actual[index],
    )
  );
};

const found = ({ method, path, status, ...exchange }: Exchange): Found | undefined => {
  const api = exchange.api ?? (/^\/(api|docs)(\/|$)/.test(path) ? 'portal' : 'bus');
  const templates = Object.keys(descriptions[api].paths).filter(template =>
    matches(template, path),
  );
  for (const template of templates) {
    const pointer = `/paths/${escaped(template)}/${method.toLowerCase()}`;
    if (at(api, pointer) === undefined) continue;
    const response = `${pointer}/responses/${status}`;
    return at(api, response) === undefined ? undefined : { api, pointer: resolved(api, response) };
  }
  const expected = templates.length > 0 ? 405 : 404;
  return status === expected ? { api, pointer: `/x-elsewhere/${status}` } : undefined;
};

const headerFaults = ({ headers }: Exchange, { api, pointer }: Found): readonly string[] => {
  const documented = (at(api, pointer) as Response).headers ?? {};
  const undocumented = [...headers.keys()].filter(
    name => !transport.has(name) && !(name in documented),
  );
  const missing = Object.keys(documented).filter(name => {
    const header = at(api, resolved(api, `${pointer}/headers/${escaped(name)}`)) as {
      required?: boolean;
    };
    return header.required === true && !headers.has(name);
  });
  return [
    ...undocumented.map(name => `the header ${name} is not described`),
    ...missing.map(name => `the header ${name} is missing`),
  ];
};

const validators = new Map<string, ValidateFunction>();

const validatorOf = (id: string): ValidateFunction => {
  const known = validators.get(id) ?? ajv.compile({ $ref: id });
  validators.set(id, known);
  return known;
};

/** The rules, codes and errors that a response names. */
const rulesIn = (body: unknown): readonly string[] => {
  if (!isJsonObject(body)) return [];
  const lists = [body['violations'], body['tolerated']].flatMap(list =>
    Array.isArray(list) ? list : [],
  );
  const named = [...lists.map(violation => violation.rule), body['code'], body['error']];
  return named.filter(rule => typeof rule === 'string');
};

const isSchemaRule = (rule: string): boolean =>
  schemaNames.some(name => rule.startsWith(`${name}.`));

const ruleFaults = (body: unknown, described: readonly string[]): readonly string[] =>
  rulesIn(body)
    .filter(
      rule =>
        !described.includes(rule) &&
        !(described.includes('<schema>.<keyword>') && isSchemaRule(rule)),
    )
    .map(rule => `the rule ${rule} is not described`);

const bodyFaults = (
  { text, headers, method }: Exchange,
  { api, pointer }: Found,
): readonly string[] => {
  const { content } = at(api, pointer) as Response;
  const [type = '', charset] = headers.get('content-type')?.split('; ') ?? [];
  if (!content || method === 'HEAD')
    return text === '' ? [] : ['there is a body, and none is described'];
  if (!(type in content) || charset !== 'charset=utf-8')
    return [`the type ${type} is not described`];
  const place = `${pointer}/content/${escaped(type)}/schema`;
  const uri = place.split('/').map(encodeURIComponent).join('/');
  const validate = validatorOf(`${api}:/#${uri}`);
  const value: unknown = type === 'application/json' ? JSON.parse(text) : text;
  if (validate(value)) return ruleFaults(value, (at(api, pointer) as Response)['x-rules'] ?? []);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`,
  );
};

/** What of a response the OpenAPI descriptions do not say; empty when they say all of it. */
export const undescribed = (exchange: Exchange): readonly string[] => {
  const response = found(exchange);
  if (!response) return [`the status ${exchange.status} is not described`];
  return [...headerFaults(exchange, response), ...bodyFaults(exchange, response)];
};

/** @throws when a response is not as the OpenAPI descriptions say */
export const expectDescribed = (exchange: Exchange): void => {
  const faults = undescribed(exchange);
  if (faults.length === 0) return;
  const { method, path, status, text } = exchange;
  throw new Error(
    `${method} ${path} answered ${status} otherwise than described: ${faults.join('; ')}\n${text.slice(0, 400)}`,
  );
};

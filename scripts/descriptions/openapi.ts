import { readFileSync } from 'node:fs';
import { defined } from '../../lib/contract/outside.ts';
import { methodsOf, preflightHeaders } from '../../lib/contract/paths.ts';
import type { Route } from '../../lib/contract/route.ts';
import {
  type DescribedRouteId as RouteId,
  describedRoutes as routes,
} from '../../lib/contract/routes.ts';
import { explicit, type Schema } from './components.ts';
import { busTitle, localOrigin } from './examples.ts';
import { titles } from './operation.ts';
import { operations, requestSchemas } from './operations.ts';
import { describedPath, pathParameters } from './paths.ts';
import { responseSchemas } from './response-schemas.ts';
import { elsewhere, headerComponents, portalRefusals, refusals, response } from './responses.ts';
import { somSchemas } from './som-schemas.ts';

type Paths = Readonly<Record<string, Readonly<Record<string, Schema>>>>;

interface Named {
  readonly name: string;
  readonly response: Schema;
  readonly text: string;
}

const responsesOf = ({ operationId, responses }: Schema): readonly Named[] =>
  Object.entries(responses as Readonly<Record<string, Schema>>).map(([status, response]) => ({
    name: `${operationId}-${status}`,
    response,
    text: JSON.stringify(response),
  }));

/**
 * Moves what several operations answer alike into components, under the name of the first of them.
 */
const shareResponses = (paths: Paths): { readonly paths: Paths; readonly shared: Schema } => {
  const all = Object.values(paths).flatMap(item => Object.values(item).flatMap(responsesOf));
  const first = new Map([...all].reverse().map(named => [named.text, named]));
  const repeated = new Set(
    all
      .filter((named, index) => all.findIndex(({ text }) => text === named.text) !== index)
      .map(({ text }) => text),
  );
  const replaced = (operation: Schema): Schema => ({
    ...operation,
    responses: Object.fromEntries(
      responsesOf(operation).map(({ name, response, text }) => [
        name.slice(name.lastIndexOf('-') + 1),
        repeated.has(text) ? { $ref: `#/components/responses/${first.get(text)?.name}` } : response,
      ]),
    ),
  });
  return {
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [
        path,
        Object.fromEntries(
          Object.entries(item).map(([method, operation]) => [method, replaced(operation)]),
        ),
      ]),
    ),
    shared: Object.fromEntries(
      [...first.values()]
        .filter(({ text }) => repeated.has(text))
        .map(({ name, response }) => [name, response])
        .reverse(),
    ),
  };
};

type Api = Route['api'];

const isRouteId = (id: string): id is RouteId => id in routes;
const rowsOf = (api: Api) =>
  Object.keys(routes)
    .filter(isRouteId)
    .filter(id => routes[id].api === api);

const security: Readonly<Record<Route['auth'], readonly Schema[]>> = {
  none: [],
  bearer: [{ bearer: [] }],
  sigv4: [{ signature: [] }],
};

interface Tag {
  readonly description: string;
  readonly routes: readonly RouteId[];
}

const tags: Readonly<Record<string, Tag>> = {
  Service: {
    description: 'Whether the bus is up, and what it offers.',
    routes: ['health', 'openapi'],
  },
  Tokens: {
    description: 'Access tokens, and what verifies them.',
    routes: ['token', 'jwks', 'oauth-metadata'],
  },
  Publishing: {
    description: 'Publish a message, or ask for the verdict that it would get.',
    routes: [
      'publish',
      'validate',
      'iam-publish',
      'iam-validate',
      'jwt-publish',
      'operator-publish',
    ],
  },
  Consuming: {
    description: 'Pull messages, settle them, and see what became of one.',
    routes: ['pull', 'ack', 'nack', 'message', 'backlog', 'registrations'],
  },
  'Test runs': {
    description: 'A connection checks itself.',
    routes: ['check-start', 'check-list', 'check-report', 'check-stop', 'check-evidence'],
  },
  Roles: { description: 'Prove that you hold a cloud role.', routes: ['verify-principal'] },
  Skills: {
    description: 'The skill library, and checks of skill instances.',
    routes: ['skill-library', 'skill-validate'],
  },
  Documentation: { description: 'Guides and reference as pages.', routes: ['docs'] },
};

const tagOf = (id: RouteId): string =>
  Object.keys(tags).find(tag => tags[tag]?.routes.includes(id)) ?? 'Service';

const parametersOf = ({ path }: Route): readonly Schema[] =>
  Object.entries(pathParameters).flatMap(([letter, { name, description }]) => {
    if (path.includes(`{${letter}}`))
      return [
        {
          name,
          in: 'path',
          required: true,
          description,
          schema: { type: 'string', minLength: 1 },
        },
      ];
    return [];
  });

const clientBasic: readonly Schema[] = [{ clientBasic: [] }, {}];

const operationOf = (id: RouteId): Schema => {
  const row: Route = routes[id];
  const { description, parameters = [], requestBody, responses } = operations[id];
  const all = [...parametersOf(row), ...parameters];
  return {
    operationId: id,
    summary: titles[id],
    description,
    tags: [tagOf(id)],
    security: id === 'token' ? clientBasic : security[row.auth],
    ...(all.length > 0 && { parameters: all }),
    ...(requestBody && { requestBody }),
    responses,
  };
};

const preflightOf = (id: RouteId): Schema => ({
  operationId: `${id}-preflight`,
  summary: `${titles[id]}: preflight`,
  description: 'What a browser asks before a page of another origin may call the route.',
  tags: [tagOf(id)],
  security: [],
  responses: {
    204: response('A preflight (Fetch standard).', {
      headers: Object.keys(preflightHeaders([])),
    }),
    ...(routes[id].api === 'portal' ? portalRefusals() : refusals(id)),
  },
});

/** What HEAD does that differs from GET. */
const headDescriptions: Partial<Record<RouteId, string>> = {
  pull: 'Checks the request as GET does, and takes no messages.',
};

/** HEAD answers as GET does, without a body. */
const headOf = (id: RouteId): Schema => {
  const { operationId, requestBody: _body, responses, ...rest } = operationOf(id);
  const bodiless = Object.entries(responses as Readonly<Record<string, Schema>>).map(
    ([status, { content: _content, ...described }]) => [status, described],
  );
  const description = headDescriptions[id];
  return {
    ...rest,
    ...defined({ description }),
    operationId: `${operationId}-head`,
    responses: Object.fromEntries(bodiless),
  };
};

const methodOf = (id: RouteId, method: string): Schema => {
  if (method === 'OPTIONS') return preflightOf(id);
  if (method === 'HEAD') return headOf(id);
  return operationOf(id);
};

const pathsOf = (api: Api): Readonly<Record<string, Readonly<Record<string, Schema>>>> => {
  const ids = rowsOf(api);
  const methodsAt = (path: string) =>
    ids
      .filter(id => routes[id].path === path)
      .flatMap(id =>
        methodsOf(routes[id]).map(method => [method.toLowerCase(), methodOf(id, method)] as const),
      );
  return Object.fromEntries(
    ids.map(id => [describedPath(routes[id].path), Object.fromEntries(methodsAt(routes[id].path))]),
  );
};

const securitySchemes: Schema = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'A token from this bus, or from an identity provider that the workspace or the operator registered.',
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description:
      'AWS Signature Version 4 for the service execute-api, signed by a registered cloud role.',
  },
  clientBasic: {
    type: 'http',
    scheme: 'basic',
    description: 'Client id and secret, each form-encoded.',
  },
};

const about: Readonly<
  Record<Api, { readonly title: string; readonly description: string; readonly url: string }>
> = {
  bus: {
    title: busTitle,
    description:
      'Publish SOM 1.0 messages in a workspace, and receive them from a queue. Answers carry ' +
      'x-request-id; refusals name the rules that the message breaks.',
    url: localOrigin,
  },
  portal: {
    title: 'som-bus: the skill catalogue',
    description: 'Read the skill library and check skill instances. No credentials are needed.',
    url: 'http://127.0.0.1:8788',
  },
};

const schemas: Readonly<Record<string, Schema>> = {
  ...somSchemas,
  ...requestSchemas,
  ...responseSchemas,
};

/** The schema components that something refers to, or that one of them refers to. */
const schemasUsed = (parts: Schema): Schema => {
  const used = new Set<string>();
  const follow = (part: Schema): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const schema = schemas[name];
      if (schema === undefined || used.has(name)) continue;
      used.add(name);
      follow(schema);
    }
  };
  follow(parts);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
};

/** The header components that something refers to. */
const headersUsed = (parts: Schema): Schema => {
  const text = JSON.stringify(parts);
  return Object.fromEntries(
    Object.entries(headerComponents).filter(([name]) =>
      text.includes(`"#/components/headers/${name}"`),
    ),
  );
};

/** The project has no public home: whoever runs a bus answers for it. */
const contact: Schema = { name: 'The operator of your bus' };

const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The OpenAPI 3.1 description of one of the APIs. */
export const openApi = (api: Api): Schema => {
  const { title, description, url } = about[api];
  const { paths, shared } = shareResponses(pathsOf(api));
  const undescribed: Schema = {
    404: elsewhere(api, 'route.not_found'),
    405: elsewhere(api, 'route.method_not_allowed'),
  };
  const all = { paths, ...shared, undescribed };
  const served = rowsOf(api).map(tagOf);
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description,
      contact,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url, description: 'The local service, started with npm start.' }],
    tags: Object.keys(tags)
      .filter(tag => served.includes(tag))
      .map(name => ({ name, description: tags[name]?.description })),
    paths,
    components: {
      schemas: explicit(schemasUsed(all)),
      ...(api === 'bus' && { securitySchemes }),
      headers: headersUsed(all),
      responses: shared,
    },
    // What no path of this description answers.
    'x-elsewhere': undescribed,
  };
};

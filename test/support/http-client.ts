import { expectDescribed } from './described-responses.ts';

/** A response with its body parsed. */
export interface Response {
  readonly status: number;
  readonly headers: Headers;
  // Tests look into bodies of every shape.
  readonly body: Record<string, unknown>;
}

/** Sends a request. A response that the OpenAPI descriptions do not describe fails the test. */
export const call = async (url: string, init: RequestInit = {}): Promise<Response> => {
  const response = await fetch(url, init);
  const text = await response.text();
  const { status, headers } = response;
  expectDescribed({
    method: init.method ?? 'GET',
    path: new URL(url).pathname,
    status,
    headers,
    text,
  });
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? {} : JSON.parse(text),
  };
};

interface Client {
  readonly client_id: string;
  readonly client_secret: string;
}

export const basic = ({ client_id, client_secret }: Client): string =>
  `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;

export const requestToken = (baseUrl: string, client: Client): Promise<Response> =>
  call(`${baseUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: basic(client) },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });

/** A bearer header of a client. */
export const bearer = async (baseUrl: string, client: Client): Promise<string> =>
  `Bearer ${(await requestToken(baseUrl, client)).body['access_token']}`;

export const post = (url: string, authorization: string, body: unknown): Promise<Response> =>
  call(url, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body:
      typeof body === 'string' || body instanceof Uint8Array
        ? (body as RequestInit['body'] & {})
        : JSON.stringify(body),
  });

/** The rule of a response's first violation. */
export const ruleOf = ({ body }: Response): unknown => {
  const { violations } = body;
  return Array.isArray(violations) ? violations[0]?.rule : undefined;
};

export const statusAndRule = (response: Response): [number, unknown] => [
  response.status,
  ruleOf(response),
];

import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { call, type Response } from './http-client.ts';

/** Credentials as the ready line and `sombus role create` print them. */
export interface RoleKeys {
  readonly role_arn: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token: string;
}

interface SigningOptions {
  readonly region?: string;
  readonly service?: string;
  readonly signingDate?: Date;
  readonly headers?: Record<string, string>;
}

/** Headers that the AWS SDK's own signer makes for a POST of some text or bytes. */
export const signedHeaders = async (
  keys: RoleKeys,
  url: string,
  body: string | Uint8Array,
  options: SigningOptions = {},
): Promise<Record<string, string>> => {
  const { hostname, port, pathname, searchParams, protocol } = new URL(url);
  const signer = new SignatureV4({
    service: options.service ?? 'execute-api',
    region: options.region ?? 'us-east-1',
    sha256: Sha256,
    credentials: {
      accessKeyId: keys.access_key_id,
      secretAccessKey: keys.secret_access_key,
      sessionToken: keys.session_token,
    },
  });
  const request = {
    method: 'POST',
    protocol,
    hostname,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: {
      host: `${hostname}:${port}`,
      'content-type': 'application/json',
      ...options.headers,
    },
    body,
  };
  const { headers } = await signer.sign(
    request,
    options.signingDate ? { signingDate: options.signingDate } : {},
  );
  return headers;
};

/** POSTs JSON, signed for a role. */
export const signedPost = async (
  keys: RoleKeys,
  url: string,
  body: unknown,
  options: SigningOptions = {},
): Promise<Response> => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { host: _, ...headers } = await signedHeaders(keys, url, text, options);
  return call(url, { method: 'POST', headers, body: text });
};

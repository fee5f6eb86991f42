import assert from 'node:assert/strict';
import { basic } from '../support/http-client.ts';
import type { Client } from './world.ts';

/** An access token for a client. */
export const tokenOf = async (baseUrl: string, client: Client): Promise<string> => {
  const response = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    headers: {
      authorization: basic(client),
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text).access_token;
};

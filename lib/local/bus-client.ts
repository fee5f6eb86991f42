import type { Ready } from './start.ts';

/** What the pull API hands out, as far as the client reads it. */
export interface PulledMessage {
  readonly receipt_handle: string;
  readonly message_id: string;
  readonly envelope: unknown;
}

interface Client {
  readonly client_id: string;
  readonly client_secret: string;
}

const jsonOf = async <T>(response: Response): Promise<T> => {
  if (response.ok) return response.json() as Promise<T>; // the service's own documented answer
  throw new Error(`The service answered ${response.status}: ${await response.text()}`);
};

const token = async (baseUrl: string, { client_id, client_secret }: Client): Promise<string> => {
  const response = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return (await jsonOf<{ access_token: string }>(response)).access_token;
};

const json = 'application/json';

/** A producer as any HTTP client would be one. */
export const producerClient = async ({ base_url, workspace, producer }: Ready) => {
  const authorization = `Bearer ${await token(base_url, producer)}`;
  return {
    /** The status of the verdict, and its body. */
    async publish(message: string): Promise<{ readonly status: number; readonly body: unknown }> {
      const headers = { authorization, 'content-type': json };
      const url = `${base_url}/tenants/${workspace}/messages`;
      const response = await fetch(url, { method: 'POST', headers, body: message });
      return { status: response.status, body: await response.json() };
    },
  };
};

/** A consumer as any HTTP client would be one. */
export const consumerClient = async ({ base_url, workspace, consumer }: Ready) => {
  const authorization = `Bearer ${await token(base_url, consumer)}`;
  const queue = `${base_url}/tenants/${workspace}/consumers/${consumer.client_id}`;
  const settle = async (
    route: 'ack' | 'nack',
    handles: readonly string[],
  ): Promise<{ failed: readonly unknown[] }> => {
    const body = JSON.stringify({ receipt_handles: handles });
    return jsonOf(
      await fetch(`${queue}/${route}`, {
        method: 'POST',
        headers: { authorization, 'content-type': json },
        body,
      }),
    );
  };
  return {
    async pull(query = ''): Promise<readonly PulledMessage[]> {
      const response = await fetch(`${queue}/messages${query}`, { headers: { authorization } });
      return (await jsonOf<{ messages: PulledMessage[] }>(response)).messages;
    },
    ack: (handles: readonly string[]) => settle('ack', handles),
    nack: (handles: readonly string[]) => settle('nack', handles),
  };
};

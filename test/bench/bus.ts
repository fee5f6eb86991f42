import type { MeasuredService } from './checkout.ts';
import { Connection, requestOf } from './lean-client.ts';
import { copiesOf, rawTarget, type Target } from './load.ts';
import { storyOf } from './story.ts';

interface Client {
  readonly client_id: string;
  readonly client_secret: string;
}

/** A bearer header of a client. */
const bearer = async ({ ready }: MeasuredService, { client_id, client_secret }: Client): Promise<string> => {
  const response = await fetch(`${ready.base_url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token } = (await response.json()) as { readonly access_token: string };
  return `Bearer ${access_token}`;
};

/** Publishes of the demo producer, with a token: each is a new message of a new story, of about so many bytes. */
export const publishing = async (service: MeasuredService, bytes: number): Promise<Target> => {
  const { workspace, producer } = service.ready;
  const headers = {
    authorization: await bearer(service, producer),
    'content-type': 'application/json',
  };
  const { text, messageId, correlationId } = storyOf(bytes);
  const request = requestOf(`POST /v1/tenants/${workspace}/messages`, headers, text);
  return rawTarget(service.port, copiesOf(request, [messageId, correlationId]), 202);
};

/** The same publishes with the client that every Node program has. */
export const fetchPublishing = async (service: MeasuredService, bytes: number): Promise<Target> => {
  const { base_url, workspace, producer } = service.ready;
  const headers = {
    authorization: await bearer(service, producer),
    'content-type': 'application/json',
  };
  const { text, messageId, correlationId } = storyOf(bytes);
  const body = copiesOf(Buffer.from(text), [messageId, correlationId]);
  const send = async (): Promise<number> => {
    const url = `${base_url}/tenants/${workspace}/messages`;
    const response = await fetch(url, { method: 'POST', headers, body: body() });
    await response.arrayBuffer();
    return response.status;
  };
  return { client: () => ({ send, close: () => undefined }), accepted: 202 };
};

/** The handler that does nothing: what the gateway needs by itself. */
export const nullHandler = ({ port }: Pick<MeasuredService, 'port'>): Target => {
  const request = requestOf('GET /v1/health', {});
  return rawTarget(port, () => request, 200);
};

/** A consumer that takes what it gets and acknowledges it at once. */
export interface Reader {
  /** Takes and acknowledges up to ten messages; answers how many. Waits up to so many seconds for the first. */
  take(waitSeconds: number): Promise<number>;
  close(): void;
}

interface Pulled {
  readonly messages: readonly { readonly receipt_handle: string }[];
}

/** The demo consumer of a service, unless told otherwise. */
export const busReader = async (
  service: MeasuredService,
  client: Client = service.ready.consumer,
): Promise<Reader> => {
  const connection = new Connection(service.port);
  const headers = { authorization: await bearer(service, client), 'content-type': 'application/json' };
  const queue = `/v1/tenants/${service.ready.workspace}/consumers/${client.client_id}`;
  const ask = async (line: string, body?: string): Promise<Buffer> => {
    const { status, body: response } = await connection.send(requestOf(line, headers, body));
    if (status !== 200) throw new Error(`${line} was answered with ${status}: ${response}`);
    return response;
  };
  return {
    async take(waitSeconds) {
      const pulled = await ask(`GET ${queue}/messages?max=10&wait=${waitSeconds}&visibility=60`);
      const { messages }: Pulled = JSON.parse(pulled.toString());
      const receipt_handles = messages.map(message => message.receipt_handle);
      if (receipt_handles.length > 0) await ask(`POST ${queue}/ack`, JSON.stringify({ receipt_handles }));
      return receipt_handles.length;
    },
    close: () => connection.close(),
  };
};

/** Lets a reader work beside a load until that is done; answers how many messages it took. */
export const readBeside = async <T>(reader: Reader, load: Promise<T>): Promise<readonly [T, number]> => {
  let isOver = false;
  const over = load.finally(() => {
    isOver = true;
  });
  let taken = 0;
  while (!isOver) taken += await reader.take(1);
  return [await over, taken];
};

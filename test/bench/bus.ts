import type { MeasuredService } from './checkout.ts';
import { type Client, copiesOf, openClient, type Request, type Target } from './load.ts';
import { storyOf } from './story.ts';

interface Credentials {
  readonly client_id: string;
  readonly client_secret: string;
}

/** The headers of a client's requests, with a token of its own. */
const headersOf = async (
  { ready }: MeasuredService,
  { client_id, client_secret }: Credentials,
): Promise<Record<string, string>> => {
  const response = await fetch(`${ready.base_url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }),
  });
  const { access_token } = (await response.json()) as { readonly access_token: string };
  return { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
};

/**
 * Publishes of the demo producer, with a token: each is a new message of a new story, of about so
 * many bytes.
 */
export const publishing = async (service: MeasuredService, bytes: number): Promise<Target> => {
  const { workspace, producer } = service.ready;
  const headers = await headersOf(service, producer);
  const { text, messageId, correlationId } = storyOf(bytes);
  const body = copiesOf(Buffer.from(text), [messageId, correlationId]);
  const path = `/v1/tenants/${workspace}/messages`;
  return {
    port: service.port,
    request: () => ({ method: 'POST', path, headers, body: body() }),
    accepted: 202,
  };
};

/** The handler that does nothing: what the gateway needs by itself. */
export const nullHandler = (port: number): Target => ({
  port,
  request: () => ({ method: 'GET', path: '/v1/health' }),
  accepted: 200,
});

/** A consumer that takes what it gets and acknowledges it at once. */
export interface Reader extends Pick<Client, 'close'> {
  /**
   * Takes and acknowledges up to ten messages; answers how many. Waits up to so many seconds for
   * the first.
   */
  take(waitSeconds: number): Promise<number>;
}

interface Pulled {
  readonly messages: readonly { readonly receipt_handle: string }[];
}

/** The demo consumer of a service. */
export const busReader = async (service: MeasuredService): Promise<Reader> => {
  const { workspace, consumer } = service.ready;
  const headers = await headersOf(service, consumer);
  const { send, close } = openClient(service.port);
  const queue = `/v1/tenants/${workspace}/consumers/${consumer.client_id}`;
  const ask = async (request: Request): Promise<Buffer> => {
    const { status, body } = await send({ ...request, headers });
    if (status !== 200) throw new Error(`${request.path} was answered with ${status}: ${body}`);
    return body;
  };
  return {
    async take(waitSeconds) {
      const path = `${queue}/messages?max=10&wait=${waitSeconds}&visibility=60`;
      const { messages }: Pulled = JSON.parse((await ask({ method: 'GET', path })).toString());
      const receipt_handles = messages.map(message => message.receipt_handle);
      const body = Buffer.from(JSON.stringify({ receipt_handles }));
      if (receipt_handles.length > 0) await ask({ method: 'POST', path: `${queue}/ack`, body });
      return receipt_handles.length;
    },
    close,
  };
};

/** The environment variables of a function. */
type Env = Readonly<Record<string, string | undefined>>;

/** The services that can be answered in process. */
export type InProcessService = 'DYNAMODB' | 'SQS' | 'KMS';

/** Answers an SDK command as the SDK would: it resolves with the output, or rejects with the SDK's exception. */
export type SendCommand = (
  command: object,
  options?: { readonly abortSignal?: AbortSignal | undefined },
) => Promise<object>;

const attached = new WeakMap<Env, Partial<Readonly<Record<InProcessService, SendCommand>>>>();

/** Lets the clients of an environment be answered in this process: call it before the first client is made. */
export const serveInProcess = (
  env: Env,
  services: Partial<Readonly<Record<InProcessService, SendCommand>>>,
): void => void attached.set(env, services);

/** The client, or one whose commands never leave this process if its environment says so. */
export const clientOf = <Client extends object>(
  env: Env,
  service: InProcessService,
  client: Client,
): Client => {
  const send = attached.get(env)?.[service];
  return send ? Object.assign(client, { send }) : client;
};

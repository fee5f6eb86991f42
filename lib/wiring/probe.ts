import { Logger } from '@aws-lambda-powertools/logger';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { environmentOf, envVars, resourceNames } from '../contract/environments.ts';
import { type FunctionId, servedBy } from '../contract/functions.ts';
import { metricDimensions } from '../contract/metrics.ts';
import { signInPath } from '../contract/portal/portal.ts';
import { routes } from '../contract/routes.ts';
import { type ProbeAccount, probe } from '../kit/client/probe.ts';
import { clientConfig } from '../platform/aws/clients.ts';
import { callJson } from '../platform/aws/json-call.ts';
import {
  type Arrival,
  authoriserEvent,
  matchRoute,
  proxyEvent,
} from '../platform/http/gateway-event.ts';
import { isJsonObject, type JsonObject, jsonIn } from '../platform/json/value.ts';
import { type Env, requiredVariable } from './env.ts';

/**
 * Who asks for a run: CodeDeploy before it gives new code requests (CodeDeploy: "Hooks for an AWS
 * Lambda deployment"), or the schedule.
 */
interface ProbeEvent {
  readonly DeploymentId?: string;
  readonly LifecycleEventHookExecutionId?: string;
}

/**
 * Calls the newest code of a function with an event, and returns what it returns; undefined if it
 * failed.
 */
export type Invoke = (name: FunctionId, event: object) => Promise<JsonObject | undefined>;

const lambdaInvoke = (env: Env, environment: string): Invoke => {
  const client = new LambdaClient(
    clientConfig(env, 'LAMBDA', { requestTimeout: 29_000, maxAttempts: 1 }),
  );
  return async (name, event) => {
    // Without a qualifier: what was just deployed, whoever gets requests.
    const { FunctionError, Payload = new Uint8Array() } = await client.send(
      new InvokeCommand({
        FunctionName: `sombus-${environment}-${name}`,
        Payload: Buffer.from(JSON.stringify(event)),
      }),
    );
    const result = jsonIn(Buffer.from(Payload));
    if (FunctionError === undefined && isJsonObject(result)) return result;
    return undefined;
  };
};

/** A call as the gateway would have it. */
const arrivalOf = (url: string, { method = 'GET', headers }: RequestInit): Arrival => {
  const { pathname, search } = new URL(url);
  const match = matchRoute('bus', method, pathname);
  if (match.kind !== 'route') throw new Error(`The probe calls no ${method} ${pathname}.`);
  const { id: route, pathParameters } = match;
  const target = { path: pathname, query: search.slice(1) };
  const requestId = crypto.randomUUID();
  return { route, method, target, pathParameters, headers: [...new Headers(headers)], requestId };
};

const refusal = (status: number, rule: string): Response =>
  Response.json(
    { accepted: false, violations: [{ source: 'policy', rule, message: rule }] },
    { status },
  );

/**
 * A `fetch` that calls functions themselves, the authoriser first, as API Gateway does for
 * requests.
 */
export const invokingFetch =
  (invoke: Invoke) =>
  async (url: string, init: RequestInit): Promise<Response> => {
    const arrival = arrivalOf(url, init);
    let context: unknown = {};
    if (routes[arrival.route].auth === 'bearer') {
      const verdict = await invoke('authoriser', authoriserEvent(arrival));
      if (verdict === undefined) return refusal(401, 'producer.unauthenticated');
      context = verdict['context'];
    }
    const sent = init.body ? Buffer.from(init.body as string | Uint8Array).toString('utf8') : null;
    const event = { ...proxyEvent(arrival, { context }), body: sent };
    const result = await invoke(servedBy(arrival.route), event);
    if (result === undefined) return refusal(502, 'bus.publish_failed');
    const { statusCode, headers, body, isBase64Encoded } = result;
    const text = Buffer.from(String(body), isBase64Encoded === true ? 'base64' : 'utf8');
    return new Response(text, {
      status: Number(statusCode),
      headers: headers as Record<string, string>,
    });
  };

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const patience = 10_000;

/**
 * Opens the portal's first page, and the page of the identity provider that a sign-in leads to.
 *
 * @param address where the portal begins, without a slash at its end
 * @throws Error that names the step which failed
 */
export const probePortal = async (address: string, send: Fetch = fetch): Promise<void> => {
  const open = async (step: string, url: string): Promise<Response> => {
    const init = { redirect: 'manual', signal: AbortSignal.timeout(patience) } as const;
    const response = await send(url, init).catch((cause: unknown) => {
      throw new Error(`The probe's ${step} failed: ${String(cause)}`, { cause });
    });
    if (response.status < 400) return response;
    throw new Error(`The probe's ${step} failed: HTTP ${response.status}`);
  };
  const page = await open('portal page', `${address}/`);
  if (page.headers.get('content-type')?.startsWith('text/html') !== true)
    throw new Error("The probe's portal page failed: it is no HTML.");
  const begun = await open('sign-in', address + signInPath);
  const provider = begun.headers.get('location');
  if (provider === null) throw new Error("The probe's sign-in failed: it leads nowhere.");
  await open('sign-in page of the identity provider', provider);
};

const isAccount = (value: unknown): value is Omit<ProbeAccount, 'baseUrl'> =>
  isJsonObject(value) && ['workspace', 'producer', 'consumer'].every(name => name in value);

const storedAccount = async (env: Env, client: LambdaClient): Promise<ProbeAccount> => {
  const Name = resourceNames(
    environmentOf(requiredVariable(env, envVars.environment)),
  ).probeParameter;
  const input = { Name, WithDecryption: true };
  const found = await callJson(
    client.config,
    { service: 'ssm', operation: 'GetParameter', input },
    env,
  );
  const parameter =
    isJsonObject(found) && isJsonObject(found['Parameter']) ? found['Parameter'] : {};
  const stored = jsonIn(String(parameter['Value']));
  if (!isAccount(stored))
    throw new Error(`The parameter ${Name} names no connections of the probe.`);
  return { ...stored, baseUrl: `${requiredVariable(env, envVars.origin)}/v1` };
};

/**
 * The probe's function: through the public URLs on its schedule, and through the newest code of the
 * bus itself when CodeDeploy asks.
 */
export const probeHandler = (env: Env) =>
  async function probeHandler(event: ProbeEvent): Promise<void> {
    const client = new LambdaClient(clientConfig(env, 'LAMBDA'));
    const {
      DeploymentId: deploymentId,
      LifecycleEventHookExecutionId: lifecycleEventHookExecutionId,
    } = event;
    if (deploymentId === undefined) {
      await probe(await storedAccount(env, client));
      return probePortal(requiredVariable(env, envVars.portalUrl));
    }
    const invoke = lambdaInvoke(env, requiredVariable(env, envVars.environment));
    const run = async () =>
      probe(await storedAccount(env, client), { fetch: invokingFetch(invoke) });
    const status = await run().then(
      () => 'Succeeded',
      (error: unknown) => {
        new Logger({ serviceName: metricDimensions.service }).error('probe failed', {
          reason: String(error),
        });
        return 'Failed';
      },
    );
    const input = { deploymentId, lifecycleEventHookExecutionId, status };
    const operation = 'PutLifecycleEventHookExecutionStatus';
    await callJson(client.config, { service: 'codedeploy', operation, input }, env);
  };

import type { CallerRegistry } from '../../access/registry/registry.ts';
import { asConsumer } from '../../access/trust/admission.http.ts';
import { limits } from '../../contract/limits.ts';
import { defined } from '../../contract/outside.ts';
import { type Refusal, refuse } from '../../contract/refusals.ts';
import { type HttpRequest, unreadableJson } from '../../platform/http/request.ts';
import type { Edge } from '../../platform/http/respond.ts';
import {
  type HttpResponse,
  type LogFacts,
  refusalResponse,
  response,
} from '../../platform/http/response.ts';
import { parseJson } from '../../platform/json/parse.ts';
import { quoteValue } from '../../platform/json/value.ts';
import {
  type AckPorts,
  acknowledge,
  type NackPorts,
  release,
  type SettleResult,
} from './settle.ts';

const { receiptHandles, nackDelaySeconds, receiptHandleCharacters } = limits;

const invalid = (message: string): Refusal => refuse('pull.invalid_body', message);

const isHandle = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= receiptHandleCharacters;

const handlesIn = (value: unknown): readonly string[] | Refusal => {
  const { min, max } = receiptHandles;
  const fits =
    Array.isArray(value) && value.length >= min && value.length <= max && value.every(isHandle);
  if (fits) return [...new Set<string>(value)];
  return invalid(`receipt_handles must be an array of ${min} to ${max} receipt handles.`);
};

/** The receipt handles that a body names, and its other member. */
const bodyOf = (
  request: HttpRequest,
  other?: string,
): { handles: readonly string[]; value: unknown } | Refusal => {
  const unreadable = unreadableJson(request);
  if (unreadable) return unreadable;
  const parsed = parseJson(request.body);
  if (!parsed.ok) return invalid(parsed.violations[0].message);

  const { receipt_handles, ...others } = parsed.value;
  const unknown = Object.keys(others).find(name => name !== other);
  if (unknown !== undefined)
    return invalid(`The member ${quoteValue(unknown)} is not allowed here.`);

  const handles = handlesIn(receipt_handles);
  if ('kind' in handles) return handles;
  return { handles, value: other && others[other] };
};

const delayOf = (value: unknown = nackDelaySeconds.default): number | Refusal => {
  const { min, max } = nackDelaySeconds;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max)
    return value;
  return invalid(`delay_seconds must be a whole number from ${min} to ${max}.`);
};

const settledResponse = ({ ok, failed, messageIds }: SettleResult, log: LogFacts): HttpResponse => {
  const failures = failed.map(
    ({ receiptHandle: receipt_handle, violation: { rule, message } }) => ({
      receipt_handle,
      rule,
      message,
    }),
  );
  return response(200, { ok, failed: failures }, { log: { ...log, ...defined({ messageIds }) } });
};

interface CallerPort {
  readonly registry: CallerRegistry;
}

export const ackEdge: Edge<AckPorts & CallerPort> = ports =>
  asConsumer(ports.registry, async function ackRoute({ connection, log }, request) {
    const body = bodyOf(request);
    if ('kind' in body) return refusalResponse(body, log);
    return settledResponse(await acknowledge(ports)(connection, body.handles), log);
  });

export const nackEdge: Edge<NackPorts & CallerPort> = ports =>
  asConsumer(ports.registry, async function nackRoute({ connection, log }, request) {
    const body = bodyOf(request, 'delay_seconds');
    if ('kind' in body) return refusalResponse(body, log);
    const delay = delayOf(body.value);
    if (typeof delay !== 'number') return refusalResponse(delay, log);
    return settledResponse(await release(ports)(connection, body.handles, delay), log);
  });

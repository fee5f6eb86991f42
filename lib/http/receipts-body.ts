import { type Refusal, refuse } from '../app/refusal.ts';
import { limits } from '../contract/limits.ts';
import { jsonIn } from '../domain/message/json-in.ts';
import { isJsonObject } from '../domain/message/json-object.ts';
import { quoteValue } from '../domain/message/quote-value.ts';
import type { HttpRequest } from './http-request.ts';
import { unreadableJson } from './json-request.ts';

/** What an ack or a nack asks for. */
export interface ReceiptsBody {
  readonly handles: readonly string[];
  readonly delaySeconds: number;
}

const invalid = (message: string): Refusal => refuse('pull.invalid_body', message);

const { least, most } = limits.receiptHandles;
const { least: shortest, most: longest, usual } = limits.nackDelaySeconds;

const isHandle = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= limits.receiptHandleCharacters;

const handlesOf = (value: unknown): readonly string[] | undefined => {
  const fits = Array.isArray(value) && value.length >= least && value.length <= most && value.every(isHandle);
  return fits ? [...new Set<string>(value)] : undefined;
};

const delayOf = (value: unknown): number | undefined => {
  if (value === undefined) return usual;
  return Number.isInteger(value) && Number(value) >= shortest && Number(value) <= longest
    ? Number(value)
    : undefined;
};

/** `{receipt_handles:[…], delay_seconds?}`, or why the body is not that; `delay_seconds` belongs to nack alone. */
export const receiptsBody = (request: HttpRequest, withDelay: boolean): ReceiptsBody | Refusal => {
  const unreadable = unreadableJson(request);
  if (unreadable) return unreadable;
  const value = jsonIn(request.body);
  if (!isJsonObject(value)) return invalid('The body must be a JSON object.');
  const { receipt_handles, delay_seconds, ...rest } = value;
  const [unknown] = [
    ...Object.keys(rest),
    ...(withDelay || delay_seconds === undefined ? [] : ['delay_seconds']),
  ];
  if (unknown !== undefined) return invalid(`The member ${quoteValue(unknown)} is not known here.`);
  const handles = handlesOf(receipt_handles);
  if (!handles) return invalid(`receipt_handles must be an array of ${least} to ${most} receipt handles.`);
  const delaySeconds = delayOf(delay_seconds);
  return delaySeconds === undefined
    ? invalid(`delay_seconds must be a whole number from ${shortest} to ${longest}.`)
    : { handles, delaySeconds };
};

import type { JsonObject } from '../../../domain/message/json-object.ts';

/** What an operation may know of the request that called it. */
export interface Call {
  /** `http://127.0.0.1:<port>`. */
  readonly endpoint: string;
  /** Aborted when the caller went away before its answer was written. */
  readonly gone: AbortSignal;
}

/** Answers a call, or throws an `AwsError` as its refusal. */
export type Operation = (input: JsonObject, call: Call) => JsonObject | Promise<JsonObject>;

/** A service of the AWS JSON protocol. */
export interface AwsJsonService {
  /** The part of `X-Amz-Target` before the dot. */
  readonly target: string;
  readonly version: '1.0' | '1.1';
  readonly operations: ReadonlyMap<string, Operation>;
  /** A larger request is refused unread. */
  readonly maxRequestBytes: number;
}

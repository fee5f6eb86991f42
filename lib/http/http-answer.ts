import type { Refusal } from '../app/refusal.ts';
import { ruleOf } from '../contract/violation.ts';

/** Identifiers for the log line of a request; never a body, a token or a secret. */
export interface LogFacts {
  readonly rule?: string;
  readonly connection?: string;
  readonly workspace?: string;
  readonly messageId?: string;
  readonly messageType?: string;
  readonly correlationId?: string;
  /** How many messages of a queue were left out of an answer, because they are none of the bus's. */
  readonly foreignMessages?: number;
  /** The name of the last error behind a `bus.publish_failed`, and the queue where it was one's. */
  readonly fault?: string;
  readonly faultQueue?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes are sent as they are, anything else as JSON; undefined sends no body. */
  readonly body: unknown;
  readonly log: LogFacts;
}

export const answer = (
  status: number,
  body: unknown,
  extra: { readonly headers?: Record<string, string>; readonly log?: LogFacts } = {},
): HttpAnswer => ({ status, headers: extra.headers ?? {}, body, log: extra.log ?? {} });

const challenges: Partial<Record<number, Record<string, string>>> = { 401: { 'www-authenticate': 'Bearer' } };

/** The bus shape of every refusal: status and headers follow from the first violation's rule. */
export const refusalAnswer = ({ violations }: Refusal, log: LogFacts = {}): HttpAnswer => {
  const { status } = ruleOf(violations[0].rule);
  return {
    status,
    headers: challenges[status] ?? {},
    body: { accepted: false, violations },
    log: { ...log, rule: violations[0].rule },
  };
};

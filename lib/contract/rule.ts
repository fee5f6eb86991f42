/** What the caller should do about a refusal. */
export type Retry =
  /** The request itself is wrong: change it first. */
  | 'fix'
  /** Nothing is wrong with the request: send the same bytes again after a pause. */
  | 'same'
  /** The state moved on: build a new message from the current state. */
  | 'refresh'
  /** Get a new token, then send the same bytes again. */
  | 'reauthenticate'
  /** Somebody has to change a permission or registration first. */
  | 'ask'
  /** Nothing to do: the message was accepted, or the entry is information. */
  | 'none';

export type Source = 'schema' | 'conformance' | 'sequence' | 'policy';

export interface Rule {
  readonly source: Source;
  /** HTTP status of an answer whose first violation has this rule; 200 and 202 accompany an accepted call. */
  readonly status: 200 | 202 | 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 503;
  readonly retry: Retry;
  readonly meaning: string;
}

/** A row of the catalogue. */
export const rule = (source: Source, status: Rule['status'], retry: Retry, meaning: string): Rule => ({
  source,
  status,
  retry,
  meaning,
});

/** A bug for the client: one text of its source, and what stands there instead. */
export interface PlantedBug {
  readonly bug: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const planted = (file: string, bug: string, find: string, replace: string): PlantedBug => ({
  bug,
  file: `lib/client/${file}.ts`,
  find,
  replace,
});

export const plantedBugs: readonly PlantedBug[] = [
  planted('attempts', 'nothing is tried again', 'if (again) await', 'if (false) await'),
  planted('attempts', 'a 503 is final', '429, 502, 503, 504', '429, 502, 504'),
  planted('attempts', 'a 429 is final', '429, 502, 503, 504', '502, 503, 504'),
  planted('attempts', 'a 400 is tried again', '429, 502, 503, 504', '400, 429, 502, 503, 504'),
  planted('attempts', 'a conflict is tried again', '429, 502, 503, 504', '409, 429, 502, 503, 504'),
  planted(
    'attempts',
    'no answer is final',
    'if (outcome instanceof Fault) return wait;',
    'if (outcome instanceof Fault) return undefined;',
  ),
  planted(
    'attempts',
    'Retry-After is not read',
    'return outcome.retryAfterSeconds * 1000 + wait;',
    'return wait;',
  ),
  planted(
    'attempts',
    'Retry-After is taken as milliseconds',
    'outcome.retryAfterSeconds * 1000',
    'outcome.retryAfterSeconds',
  ),
  planted('attempts', 'no jitter after Retry-After', '* 1000 + wait;', '* 1000;'),
  planted('attempts', 'the pauses do not double', '2 ** (attempt - 1)', '1'),
  planted(
    'attempts',
    'the pauses have no limit',
    'Math.min(pauses.max, pauses.first * 2 ** (attempt - 1))',
    'pauses.first * 2 ** (attempt - 1)',
  ),
  planted('attempts', 'half of the pause is fixed', 'random() *', '(0.5 + random() / 2) *'),
  planted('attempts', 'the deadline is not kept', 'outside.now() + pause < bounds.deadline', 'true'),
  planted(
    'attempts',
    'an attempt may outlast the deadline',
    'Math.min(timeoutMilliseconds, deadline - outside.now())',
    'timeoutMilliseconds',
  ),
  planted(
    'attempts',
    'an abort does not end a pause',
    'await outside.sleep(pause, bounds.signal)',
    'await outside.sleep(pause)',
  ),
  planted(
    'attempts',
    'a used-up quota is tried again',
    'return isQuota(outcome) ? undefined : wait;',
    'return wait;',
  ),
  planted('attempts', 'redirects are followed', "redirect: 'manual'", "redirect: 'follow'"),
  planted(
    'client',
    'a retry has a new id',
    'const body = JSON.stringify(message);',
    'const body = JSON.stringify({ ...message, message_id: crypto.randomUUID() });',
  ),
  planted('client', 'the dry run publishes', "route === 'publish' ? 'messages' : 'validate'", "'messages'"),
  planted(
    'client',
    'bytes become text',
    "if (typeof message === 'string' || message instanceof Uint8Array) return { body: message };",
    "if (typeof message === 'string' || message instanceof Uint8Array) return { body: typeof message === 'string' ? message : new TextDecoder().decode(message) };",
  ),
  planted('tokens', 'every call asks for a token', 'if (known && now() < known.renewAt)', 'if (false)'),
  planted('tokens', 'a token is never renewed', 'now() < known.renewAt', 'true'),
  planted('tokens', 'a token is renewed when it has ended', '(seconds - margin) * 1000', 'seconds * 1000'),
  planted('tokens', 'a token ages from when it came', 'renewAt: asked +', 'renewAt: now() +'),
  planted('tokens', 'each of several callers asks for a token', 'renewal ??= begin', 'renewal = begin'),
  planted(
    'tokens',
    'id and secret are not encoded',
    '.map(encodeURIComponent).join',
    '.map(text => unescape(encodeURIComponent(text))).join',
  ),
  planted(
    'session',
    'a refused token is the end',
    'if (answer.status !== 401) return answer;',
    'return answer;',
  ),
  planted('session', 'a refused token is used again', 'tokens.drop(token);', ''),
  planted('verdict', 'only the first reason is told', 'violations: [first, ...more]', 'violations: [first]'),
  planted('verdict', 'a duplicate counts as accepted', "if (body['duplicate'] === true)", 'if (false)'),
  planted(
    'verdict',
    'any JSON counts as a verdict',
    "if (body['accepted'] !== true) return",
    "if (body['accepted'] === false) return",
  ),
  planted(
    'envelope',
    'a chain is not continued',
    'correlation_id ?? cause?.correlation_id',
    'correlation_id',
  ),
  planted('envelope', 'a message has no cause', '...(cause ? {', '...(false ? {'),
  planted('envelope', 'the id has no version', '0x70 |', '0x00 |'),
  planted(
    'deliveries',
    'messages are acknowledged before they are handled',
    'this.#current = next;\n    return',
    'this.#current = next;\n    if (next) this.#handled.push(next);\n    await this.flush();\n    return',
  ),
  planted(
    'deliveries',
    'messages are not acknowledged',
    'if (this.#current) this.#handled.push(this.#current);',
    '',
  ),
  planted(
    'deliveries',
    'later messages pass a released one',
    'if (this.#isOpen(message)) this.#stuck.add(message.correlationId);',
    '',
  ),
  planted(
    'deliveries',
    'a late release holds later messages back',
    'if (this.#isOpen(message)) this.#stuck',
    'this.#stuck',
  ),
  planted(
    'deliveries',
    'handled messages wait for the end of the pull',
    'Math.min(this.#halfTime, this.#acknowledgeAt)',
    'this.#halfTime',
  ),
  planted(
    'deliveries',
    'time counts from the answer',
    'askedAt + options.visibility * 1000',
    'parts.outside.now() + options.visibility * 1000',
  ),
  planted(
    'deliveries',
    'an acknowledgement without an answer ends the consumer',
    'if (!(fault instanceof Unanswered)) throw fault;',
    'throw fault;',
  ),
  planted(
    'session',
    'the wait of a poll counts against the deadline',
    'bounds.deadline + (call.waitMilliseconds ?? 0)',
    'bounds.deadline',
  ),
  planted(
    'queue',
    'any 200 counts as a pull',
    "objects(bodyOf(answer)['messages'])",
    "objects(bodyOf(answer)['messages'] ?? [])",
  ),
  planted(
    'deliveries',
    'later messages pass a lost one',
    'this.#stuck.add(message.correlationId);\n    this.#onLost',
    'this.#onLost',
  ),
  planted(
    'deliveries',
    'the order of a pull is turned round',
    '= [...messages];',
    '= [...messages].reverse();',
  ),
  planted(
    'deliveries',
    'what has expired is still handled',
    'if (this.#parts.outside.now() >= this.#expiresAt) this.#waiting.length = 0;',
    '',
  ),
  planted(
    'deliveries',
    'leaving releases nothing',
    'await this.#parts.queue.nack(handles, 0, this.#bounds);',
    ';',
  ),
  planted(
    'deliveries',
    'leaving acknowledges the message in hand',
    'this.#current = undefined;\n    this.#waiting.length = 0;',
    'if (this.#current) this.#handled.push(this.#current);\n    this.#waiting.length = 0;',
  ),
  planted('deliveries', 'an idle consumer spins', 'if (pause > 0)', 'if (false)'),
  planted('deliveries', 'a stop is a fault', 'if (!signal?.aborted) throw fault;', 'throw fault;'),
  planted('deliveries', 'nobody hears of lost messages', 'this.#onLost?.(message, settlement);', ''),
  planted(
    'queue',
    'numbers of the text are rounded',
    "text: texts[index] ?? ''",
    'text: JSON.stringify(envelope)',
  ),
];

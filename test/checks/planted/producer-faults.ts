import { type CorrectVariant, type PlantedFault, plantedIn } from './plant.ts';

const desk = 'test/checks/planted/reference-producer.ts';
const inDesk = plantedIn(desk);
const inAttempts = plantedIn('lib/client/attempts.ts');
const inSession = plantedIn('lib/client/session.ts');

const of = (because: string, ...cases: readonly string[]): PlantedFault['also'] => ({ cases, because });
const refusedSnapshot = of('the snapshot was refused for good', 'messages/story.context');
const compose = 'const message = JSON.stringify(bus.compose(draft));';
const onPublish = "...(url.endsWith('/messages') ? { body: String(init.body)";

/** Faults for the reference producer: in its own program, or in the client that it uses. */
export const producerFaults: readonly PlantedFault[] = [
  inDesk(
    'a type that it should send is never sent',
    ["message_type: 'telling.started',\n        payload", "message_type: 'telling.ended',\n        payload"],
    'messages/telling.started',
  ),
  inDesk(
    'a sequence_number is used twice',
    ['sequence_number: number', 'sequence_number: number === 3 ? 2 : number'],
    'stories/numbers-increase',
    refusedSnapshot,
  ),
  inDesk(
    'updated_at goes back',
    ['new Date(parts.now())', 'new Date(parts.now() - (number === 3 ? 3_600_000 : 0))'],
    'stories/time-goes-forward',
    refusedSnapshot,
  ),
  inDesk(
    'a snapshot has only what has changed',
    ["priority: { level: 'HIGH' },", "...(number === 3 ? {} : { priority: { level: 'HIGH' } }),"],
    'stories/whole-snapshots',
    refusedSnapshot,
  ),
  inDesk(
    'a killed story comes back',
    ['payload: hasEnded', 'payload: hasEnded && number !== 4'],
    'stories/ended',
    refusedSnapshot,
  ),
  inDesk(
    'each snapshot has a correlation_id of its own',
    ['      correlation_id: correlation,\n', ''],
    'stories/one-correlation',
  ),
  inDesk(
    'it sends as a system that is not its own',
    [
      compose,
      `${compose.replace('const', 'let')}\n    if (draft.message_type === 'link.committed') message = message.replace('"desk"', '"other-desk"');`,
    ],
    'messages/own-system',
    of('the link was refused for good', 'messages/link.committed'),
  ),
  inDesk(
    'a correction has the message_id of what it corrects',
    [
      compose,
      `${compose.replace('const', 'let')}\n    if (draft.message_type === 'story.context' && number < 3) message = JSON.stringify({ ...JSON.parse(message), message_id: '0190a000-0000-7000-8000-0000000000aa' });`,
    ],
    'messages/new-ids',
    refusedSnapshot,
  ),
  inDesk(
    'what was refused is sent again',
    ['      await bus.publish(text);', '      await bus.publish(text);\n      await bus.publish(text);'],
    'refusals/no-blind-repeat',
  ),
  inDesk(
    'a message without a response is made anew',
    [
      'bus.publish(message, { deadline: 120_000 })',
      'bus.publish(message, { deadline: 10_000 }).catch(() => bus.publish(JSON.stringify(bus.compose(draft)), { deadline: 120_000 }))',
    ],
    'retries/slow-answer',
    of(
      'the second of two equal snapshots is refused, and it tries for ten seconds only',
      'messages/story.context',
      'stories/numbers-increase',
      'retries/unavailable-for-long',
    ),
    {
      mayDiffer: ['messages/story.context', 'stories/numbers-increase'],
      because:
        'the bus answers within the ten seconds, unless the case about a slow response is being played',
    },
  ),
  inDesk(
    'a refused secret is tried each second',
    ['parts.sleep(60_000)', 'parts.sleep(1_000)'],
    'retries/secret-rotated',
  ),
  inAttempts(
    'nothing is tried again',
    ['if (again) await', 'if (false) await'],
    'retries/unavailable',
    of(
      'they refuse, too; a lost response is a 503',
      'retries/unavailable-for-long',
      'retries/rate-limited',
      'retries/lost-answer',
    ),
  ),
  inAttempts(
    'Retry-After is not read',
    ['return outcome.retryAfterSeconds * 1000 + wait;', 'return wait;'],
    'retries/rate-limited',
  ),
  inAttempts('there is no pause', ['random() *', '0 *'], 'retries/unavailable-for-long'),
  inAttempts(
    'a lost response counts as a success',
    [
      'const outcome = await attemptOnce(request, bounds, outside);',
      `const tried = await attemptOnce(request, bounds, outside);\n      const isLost = !(tried instanceof Failure) && tried.text.includes('bus.publish_failed');\n      const outcome = isLost ? { ...tried, status: 202, text: '{"accepted":true}' } : tried;`,
    ],
    'retries/lost-answer',
  ),
  inAttempts(
    'each attempt has a message_id of its own',
    [
      '      ...init,\n',
      `      ...init,\n      ${onPublish}.replace(/"message_id":"[^"]*"/, () => '"message_id":"' + crypto.randomUUID() + '"') } : {}),\n`,
    ],
    'retries/unavailable',
    of(
      'they bring about another attempt, too; the second of two equal snapshots is refused',
      'messages/story.context',
      'stories/numbers-increase',
      'retries/unavailable-for-long',
      'retries/rate-limited',
      'retries/lost-answer',
      'retries/token-ended',
    ),
  ),
  inAttempts(
    'each attempt has a timestamp of its own',
    [
      '      ...init,\n',
      `      ...init,\n      ${onPublish}.replace(/"timestamp":"[^"]*"/, () => '"timestamp":"' + new Date(outside.now()).toISOString() + '"') } : {}),\n`,
    ],
    'retries/unavailable',
    of(
      'they bring about another attempt, too; other bytes under the id of an accepted message are refused',
      'messages/story.context',
      'messages/new-ids',
      'retries/unavailable-for-long',
      'retries/rate-limited',
      'retries/lost-answer',
      'retries/token-ended',
    ),
  ),
  inSession(
    'a refused token is the end',
    ['if (response.status !== 401) return response;', 'return response;'],
    'retries/token-ended',
  ),
  inSession(
    'a message that met a refused token is given up for one with another message_id',
    [
      'requestOf(url, renewed, call)',
      `requestOf(url, renewed, {
        ...call,
        ...(call.body === undefined ? {} : { body: String(call.body).replace(/"message_id":"[^"]*"/, () => '"message_id":"' + crypto.randomUUID() + '"') }),
      })`,
    ],
    'retries/token-ended',
  ),
];

/** Producers that are as good as the reference producer. */
export const producerVariants: readonly CorrectVariant[] = [
  {
    variant: 'its messages are larger than what a run keeps of them',
    file: desk,
    find: compose,
    replace: compose.replace(
      'bus.compose(draft)',
      "{ ...bus.compose(draft), extensions: { 'com.example.notes': 'x'.repeat(40_000) } }",
    ),
    meant: 'retries/unavailable',
  },
  {
    variant: 'it sends two messages at the same time',
    file: desk,
    find: 'const snapshot = (headline: string): Promise<void> => {',
    replace: `const tell = () => {
    const exposure_start = new Date(parts.now()).toISOString();
    const telling_id = '0190a000-0000-7000-8000-00000000000c';
    const payload = { message_type: 'telling.started', telling_id, link_id: link, exposure_start } as const;
    return publish({ message_type: 'telling.started', payload });
  };
  const snapshot = async (headline: string): Promise<void> => {
    await Promise.all(headline.includes('note') ? [tell(), snapshotOf(headline)] : [snapshotOf(headline)]);
  };
  const snapshotOf = (headline: string): Promise<void> => {`,
    meant: 'retries/rate-limited',
  },
];

import { bytesOf, envelope, type Json, story } from './messages.ts';

const max = 240_000;

export const raw = (text: string): Buffer => Buffer.from(text);
export const storyWith = (changes: Json): Buffer =>
  bytesOf(envelope('story.context', story(changes)));

/** A body of the largest size, its member `at` filled up with `fill`. */
const filled = (make: (text: string) => unknown, unit: string): Buffer => {
  const room = max - bytesOf(make('')).byteLength;
  const written = Buffer.byteLength(JSON.stringify(unit)) - 2;
  return bytesOf(make(unit.repeat(Math.floor(room / written))));
};

const many = (count: number, item: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => item(i)).join(',');

export const items = (member: string, item: (i: number) => string): Buffer => {
  const [before = '', after = ''] = JSON.stringify(
    envelope('story.context', story({ [member]: ['@'] })),
  ).split('"@"');
  let text = before;
  for (let i = 0; text.length + after.length < max - 200; i++)
    text += `${i === 0 ? '' : ','}${item(i)}`;
  return raw(text + after);
};

/** Members of a story whose text has a form to keep: format, pattern, length or list of words. */
const inStory: Readonly<Record<string, (text: string) => Json>> = {
  updated_at: text => ({ updated_at: text }),
  uri: text => ({ content_refs: [{ uri: text }] }),
  summary: text => ({ story_meaning: { summary: text } }),
  asset_type: text => ({ assets: [{ asset_id: 'a', asset_type: text, status: 'READY' }] }),
  'tag scheme': text => ({ tags: [{ scheme: text, value: 'v' }] }),
  time_range: text => ({ assets: [filmed({ source: 'tams://a/b', time_range: text })] }),
  source: text => ({ assets: [filmed({ source: text })] }),
  'extension key': text => ({ extensions: { [text]: 1 } }),
};

const filmed = (reference: Json): Json => ({
  asset_id: 'a',
  asset_type: 'CG',
  status: 'READY',
  media_refs: [reference],
});

/** The same, and such members of the envelope. */
const formed: readonly (readonly [string, (text: string) => unknown])[] = [
  ...['message_id', 'som_version', 'topic', 'timestamp'].map(
    name =>
      [name, (text: string) => ({ ...envelope('story.context', story()), [name]: text })] as const,
  ),
  ['message_type', text => envelope(text, {})],
  ...Object.entries(inStory).map(
    ([name, make]) =>
      [name, (text: string) => envelope('story.context', story(make(text)))] as const,
  ),
];

const fills = [
  ...['a', 'a.', '1', '1:', '-', 'T', ' ', '%20', '/', 'x://', '@', '[::', 'com.a-', 'x-', '1.1.'],
  ...['\u{1f300}', '\\', '"', '\u0001', '2026-02-03T10:00:00.1'],
];

const asset = '{"asset_id":1,"asset_type":2,"status":3}';
/** A valid message whose payload is not checked, with this JSON in it. */
const free = (json: string): Buffer =>
  raw(JSON.stringify(envelope('asset.ingested', { any: '@' })).replace('"@"', json));

/** Bodies made to cost much, each with a rule its response names. */
export const hostileBodies: readonly [string, Buffer, string][] = [
  ['240,000 opening brackets', raw('['.repeat(max)), 'message.not_json'],
  ['240,000 bytes of {"a":', raw('{"a":'.repeat(max / 5)), 'message.too_deep'],
  [
    'brackets nested in a member',
    raw(`{"a":${'['.repeat(119_990)}${']'.repeat(119_990)}}`),
    'message.too_deep',
  ],
  ['240,000 bytes of escapes', raw(`{"a":"${'\\"'.repeat(119_990)}"}`), 'envelope.required'],
  [
    '240,000 bytes of backslashes, unfinished',
    raw(`{"a":"${'\\'.repeat(max - 7)}`),
    'message.not_json',
  ],
  [
    '23,000 escaped halves of surrogate pairs',
    raw(`{"a":[${many(23_000, () => '"\\ud800"')}]}`),
    'message.invalid_character',
  ],
  ['20,000 members', raw(`{${many(20_000, i => `"m${i}":1`)}}`), 'envelope.additionalProperties'],
  [
    '20,000 members in the payload',
    bytesOf(
      envelope(
        'story.context',
        story(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`m${i}`, 0]))),
      ),
    ),
    'story-context.additionalProperties',
  ],
  ['20,000 duplicate members', raw(`{${many(20_000, () => '"m":1')}}`), 'message.duplicate_member'],
  [
    '10,000 objects with a member twice',
    raw(`{"a":[${many(10_000, () => '{"b":1,"b":1}')}]}`),
    'message.duplicate_member',
  ],
  [
    'a duplicate at the very end',
    raw(`{"a":[${many(50_000, i => `${i % 1000}`)}],"b":1,"b":2}`),
    'message.duplicate_member',
  ],
  ['thousands of wrong assets', items('assets', () => asset), 'story-context.type'],
  ['thousands of empty assets', items('assets', () => '{}'), 'story-context.required'],
  [
    'tens of thousands of numbers for assets',
    items('assets', i => `${i % 10}`),
    'story-context.type',
  ],
  [
    'thousands of assets with unknown members',
    items('assets', i => `{"asset_id":"${i}","asset_type":"CG","status":"READY","x":1}`),
    'story-context.additionalProperties',
  ],
  [
    'thousands of bad assertions',
    items(
      'assertions',
      () => '{"assertion_type":"MATCH","claim":{},"provenance":{"author":"HUMAN","model":""}}',
    ),
    'story-context.required',
  ],
  [
    'tens of thousands of bad time ranges',
    items('compliance', () => `{"media_range":{"time_range":[${many(50, () => '"x"')}]}}`),
    'story-context.pattern',
  ],
  [
    'distinct tags, the last two equal',
    items('tags', i => `{"scheme":"newsroom","value":"${Math.min(i, 5000)}"}`),
    'story-context.uniqueItems',
  ],
  ['tags that are no tags', items('tags', () => '[]'), 'story-context.type'],
  [
    '1e999 as a sequence number',
    raw(
      JSON.stringify(envelope('story.context', story())).replace(
        '"sequence_number":1',
        '"sequence_number":1e999',
      ),
    ),
    'message.not_json',
  ],
  [
    'a sequence number of 200,000 digits',
    raw(
      JSON.stringify(envelope('story.context', story())).replace(
        '"sequence_number":1',
        `"sequence_number":${'9'.repeat(200_000)}`,
      ),
    ),
    'message.not_json',
  ],
  ['objects of thousands of shapes', free(`[${many(10_000, i => `{"a":1,"b${i}":1}`)}]`), 'accept'],
  [
    'objects of thousands of shapes and first members',
    free(`[${many(10_000, i => `{"b${i}":1,"a":1}`)}]`),
    'accept',
  ],
  [
    'objects of many members in odd orders',
    free(`[${many(60, i => `{${many(300, j => `"${(j * 7919 + i) % 997}":1`)}}`)}]`),
    'accept',
  ],
  ['17,000 escaped surrogate pairs', free(`"${'\\ud83d\\ude00'.repeat(17_000)}"`), 'accept'],
  [
    'a body of spaces around little',
    raw(JSON.stringify(envelope('asset.ingested', {})).replace('{', `{${' \n'.repeat(119_000)}`)),
    'accept',
  ],
  [
    'members named like those of Object.prototype',
    raw(
      '{"__proto__":{"som_version":"1.0.0"},"constructor":1,"toString":1,"valueOf":1,"hasOwnProperty":1}',
    ),
    'envelope.additionalProperties',
  ],
  [
    'a payload that inherits nothing',
    bytesOf(
      envelope(
        'story.context',
        JSON.parse('{"__proto__":{"story_id":"x","slug":"x","headline":"x"},"toString":1}'),
      ),
    ),
    'story-context.required',
  ],
];

/** One long text of each kind in each place where a text has a form to keep. */
export const longTexts: readonly [string, Buffer][] = formed.flatMap(([where, make]) =>
  fills.map((fill): [string, Buffer] => [
    `${where} full of ${JSON.stringify(fill)}`,
    filled(make, fill),
  ]),
);

import { families } from '../../../lib/contract/message-types.ts';
import { hintOn, schemaViolations } from '../../../lib/som/messages/schema-violations.ts';
import { yamlFile } from '../../../scripts/yaml-file.ts';
import { envelope, type Json, story } from '../../corpus/messages.ts';
import { payloadOf } from '../../corpus/payloads.ts';

interface Said {
  readonly type?: string;
  readonly payload?: Json;
  readonly envelope?: Json;
  readonly told: readonly string[];
}

const cases = yamlFile('test/som/messages/cases/violations.yaml') as readonly Said[];

const changed = (members: Json, change: Json): Json =>
  Object.fromEntries(
    Object.entries({ ...members, ...change }).filter(([, value]) => value !== null),
  );

const messageOf = ({ type = 'story.context', payload = {}, envelope: members = {} }: Said) => {
  const whole = type === 'story.context' ? story() : payloadOf(type);
  return changed(envelope(type, changed(whole, payload)), members);
};

const violationsIn = (said: Said) => {
  const message = messageOf(said);
  const family = families.get(said.type ?? 'story.context') ?? 'story-context';
  const schema = said.envelope ? 'envelope' : family;
  return schemaViolations(message, schema, '1.0');
};

test.each(cases)('says what is wrong, what helps first: $type $payload $envelope', said => {
  const found = violationsIn(said);
  expect(found.map(({ rule, path, message }) => `${rule} ${path}: ${message}`)).toEqual(said.told);
  expect([...new Set(found.map(({ source }) => source))]).toEqual(['schema']);
});

test('a text that is too long is shown by its beginning, and is not by one character less', () => {
  const told = (characters: number) =>
    violationsIn({ payload: { story_meaning: { why: 'w'.repeat(characters) } }, told: [] });
  expect(told(280)).toEqual([]);
  expect(told(281)).toEqual([
    {
      source: 'schema',
      rule: 'story-context.maxLength',
      path: '/payload/story_meaning/why',
      message: `Found "${'w'.repeat(40)}…"; expected 280 or fewer characters.`,
    },
  ]);
});

test('a payload that is not an object is left to the envelope', () => {
  const found = [[], null, 'story', 7].map(payload => [
    schemaViolations(envelope('story.context', payload), 'story-context', '1.0'),
    schemaViolations(envelope('story.context', payload), 'envelope', '1.0').map(({ rule }) => rule),
  ]);
  expect(found).toEqual(Array.from({ length: 4 }, () => [[], ['envelope.type']]));
});

test('a later 1.x may add members and values, and nothing else', () => {
  const assets = [{ asset_id: 7, asset_type: 'HOLOGRAM', status: 'MELTING', depth: 3 }];
  const message = envelope('story.context', story({ assets, mood: 'festive' }));
  const rulesOf = (strictness: '1.0' | '1.x') =>
    schemaViolations(message, 'story-context', strictness).map(({ rule, path }) => [rule, path]);
  expect(rulesOf('1.x')).toEqual([['story-context.type', '/payload/assets/0/asset_id']]);
  expect(rulesOf('1.0').length).toBeGreaterThan(4);
});

test('of a message with very many violations the first 200 are read', () => {
  const assets = Array.from({ length: 500 }, () => ({}));
  const found = violationsIn({ payload: { assets }, told: [] });
  expect(found).toHaveLength(200);
  expect(found[0]).toMatchObject({ path: '/payload/assets/0' });
});

describe('a hint', () => {
  const sent = (change: Json) => messageOf({ payload: change, told: [] });

  /** What the hints add to the reasons for which a message is refused. */
  const hintsOn = (message: Json) =>
    schemaViolations(message, 'story-context', '1.0').map(reason => hintOn(reason, message));

  test('asks whether a member is a misspelling of the one that is missing', () => {
    expect(hintsOn(sent({ slug: null, slgu: 'BRIDGE' }))).toEqual([
      '',
      ' Is "slgu" a misspelling of it?',
    ]);
    expect(hintsOn(sent({ slug: null }))).toEqual(['']);
  });

  test('looks for that member where one is missing, and nowhere else', () => {
    const reason = {
      rule: 'story-context.required',
      message: 'The member "status" is missing; add it.',
      path: '/payload/assets/0',
    };
    const message = sent({ assets: [{ stauts: 'READY' }], statsu: 1 });
    expect(hintOn(reason, message)).toBe(' Is "stauts" a misspelling of it?');
    expect(hintOn({ ...reason, path: '/payload' }, message)).toBe(
      ' Is "statsu" a misspelling of it?',
    );
    expect(hintOn({ ...reason, path: '/payload/assets' }, message)).toBe('');
    expect(hintOn({ ...reason, path: '/payload/tags/9' }, message)).toBe('');
    const { path: _none, ...ofWhole } = reason;
    expect(hintOn(ofWhole, { satus: 1 })).toBe(' Is "satus" a misspelling of it?');
    expect(hintOn(reason, undefined)).toBe('');
  });

  test('names the value that was probably meant', () => {
    expect(hintsOn(sent({ lifecycle: null, story_type: 'PLANED' }))).toEqual([
      ' Did you mean "PLANNED"?',
    ]);
    expect(hintsOn(sent({ lifecycle: null, story_type: 'WONDERFUL' }))).toEqual(['']);
    expect(hintsOn(sent({ lifecycle: null, story_type: 7 }))[0]).toBe('');
  });

  test('names the type that was probably meant, with a schema or without', () => {
    const hintOf = (message_type: unknown) =>
      hintOn(
        { rule: 'message_type.unknown', message: 'SOM 1.0 has no such message type.' },
        { message_type },
      );
    expect(hintOf('story.contxt')).toBe(' Did you mean "story.context"?');
    expect(hintOf('asset.ingestd')).toBe(' Did you mean "asset.ingested"?');
    expect(hintOf('weather.warning')).toBe('');
    expect(hintOf(undefined)).toBe('');
  });

  test('is nothing where a reason is about no word', () => {
    expect(hintsOn(sent({ headline: 7, extensions: { note: 1 } }))).toEqual(['', '']);
    const quoting = {
      rule: 'other',
      message: 'It says: The member "slug" is missing; add it.',
      path: '/payload',
    };
    expect(hintOn(quoting, sent({ slgu: 1 }))).toBe('');
  });
});

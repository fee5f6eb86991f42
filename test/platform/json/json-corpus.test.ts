import { readdirSync } from 'node:fs';
import { parseJson } from '../../../lib/platform/json/parse.ts';
import { describeShared, readShared, sharedPath } from '../../shared.ts';

const folder = ['corpora', 'json-parsing', 'test_parsing'] as const;

/**
 * Most files hold an array or a scalar, which no message is: the same text is tried as a member of
 * an object, too.
 */
const wrapped = (bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from('{"v":'), bytes, Buffer.from('}')]);

/** Every text and number in a JSON value. */
const partsOf = (value: unknown): readonly unknown[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [name, ...partsOf(inner)])
    : [value];

const isWrong = (part: unknown) => typeof part === 'number' && !Number.isFinite(part);
const isBroken = (part: unknown) => typeof part === 'string' && /\p{Surrogate}/u.test(part);

/**
 * What strict UTF-8 and `JSON.parse` make of it: the value of an object, or the rule that refuses
 * it.
 */
const byPlatform = (bytes: Uint8Array): unknown => {
  try {
    const value = JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
    );
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return 'message.not_json';
    const parts = partsOf(value);
    if (parts.some(isWrong)) return 'message.not_json';
    return parts.some(isBroken) ? 'message.invalid_character' : value;
  } catch {
    return 'message.not_json';
  }
};

/** Refused by a rule of ours, as an object or as a member of one, whatever else they are. */
const refusedByRule: ReadonlyMap<string, string> = new Map([
  ['y_object_duplicated_key.json', 'message.duplicate_member'],
  ['y_object_duplicated_key_and_value.json', 'message.duplicate_member'],
  ['y_string_nonCharacterInUTF-8_U+FFFF.json', 'message.invalid_character'],
  ['i_structure_500_nested_arrays.json', 'message.too_deep'],
  ['n_structure_100000_opening_arrays.json', 'message.too_deep'],
  ['n_structure_open_array_object.json', 'message.too_deep'],
]);

describeShared('corpora', 'the JSON parsing corpus', () => {
  const files = readdirSync(sharedPath(...folder)).sort();
  const named = (prefix: string) => files.filter(name => name.startsWith(prefix));

  test('has 318 files: 188 are not JSON, 95 are, 35 may be either', () => {
    expect([files.length, named('n_').length, named('y_').length, named('i_').length]).toEqual([
      318, 188, 95, 35,
    ]);
  });

  test.each(files)('%s is parsed or refused, by itself and as a member', name => {
    const bytes = readShared(...folder, name);
    for (const body of [bytes, wrapped(bytes)]) {
      const parsed = parseJson(body);
      const expected = byPlatform(body);
      const rule =
        typeof expected === 'object' || body !== bytes ? refusedByRule.get(name) : undefined;
      expect(parsed.ok ? parsed.value : parsed.violations[0].rule).toEqual(rule ?? expected);
    }
  });
});

import { readdirSync } from 'node:fs';
import { parseJson } from '../../lib/json/parse.ts';
import { describeShared, readShared, sharedPath } from '../shared.ts';

const folder = ['corpora', 'json-parsing', 'test_parsing'] as const;

const ruleOf = (bytes: Uint8Array): string => {
  const parsed = parseJson(bytes);
  return parsed.ok ? 'parsed' : parsed.violations[0].rule;
};

/** Most files hold an array or a scalar, which no message is: the same text is tried as a member of an object, too. */
const wrapped = (bytes: Uint8Array): Buffer => Buffer.concat([Buffer.from('{"v":'), bytes, Buffer.from('}')]);

/** Refused by a rule of ours although it is JSON. */
const refusedByRule: ReadonlyMap<string, string> = new Map([
  ['y_object_duplicated_key.json', 'message.duplicate_member'],
  ['y_object_duplicated_key_and_value.json', 'message.duplicate_member'],
  ['y_string_nonCharacterInUTF-8_U+FFFF.json', 'message.invalid_character'],
]);

/** The files that hold an object and that no rule of ours refuses. */
const objects = [
  'y_object.json',
  'y_object_basic.json',
  'y_object_empty.json',
  'y_object_empty_key.json',
  'y_object_escaped_null_in_key.json',
  'y_object_extreme_numbers.json',
  'y_object_long_strings.json',
  'y_object_simple.json',
  'y_object_string_unicode.json',
  'y_object_with_newlines.json',
];

/** What a parser may decide, decided: as a member's value. */
const undefinedByJson: Readonly<Record<string, string>> = {
  'i_number_double_huge_neg_exp.json': 'parsed',
  'i_number_huge_exp.json': 'message.not_json',
  'i_number_neg_int_huge_exp.json': 'message.not_json',
  'i_number_pos_double_huge_exp.json': 'message.not_json',
  'i_number_real_neg_overflow.json': 'message.not_json',
  'i_number_real_pos_overflow.json': 'message.not_json',
  'i_number_real_underflow.json': 'parsed',
  'i_number_too_big_neg_int.json': 'parsed',
  'i_number_too_big_pos_int.json': 'parsed',
  'i_number_very_big_negative_int.json': 'parsed',
  'i_object_key_lone_2nd_surrogate.json': 'message.invalid_character',
  'i_string_1st_surrogate_but_2nd_missing.json': 'message.invalid_character',
  'i_string_1st_valid_surrogate_2nd_invalid.json': 'message.invalid_character',
  'i_string_UTF-16LE_with_BOM.json': 'message.not_json',
  'i_string_UTF-8_invalid_sequence.json': 'message.not_json',
  'i_string_UTF8_surrogate_U+D800.json': 'message.not_json',
  'i_string_incomplete_surrogate_and_escape_valid.json': 'message.invalid_character',
  'i_string_incomplete_surrogate_pair.json': 'message.invalid_character',
  'i_string_incomplete_surrogates_escape_valid.json': 'message.invalid_character',
  'i_string_invalid_lonely_surrogate.json': 'message.invalid_character',
  'i_string_invalid_surrogate.json': 'message.invalid_character',
  'i_string_invalid_utf-8.json': 'message.not_json',
  'i_string_inverted_surrogates_U+1D11E.json': 'message.invalid_character',
  'i_string_iso_latin_1.json': 'message.not_json',
  'i_string_lone_second_surrogate.json': 'message.invalid_character',
  'i_string_lone_utf8_continuation_byte.json': 'message.not_json',
  'i_string_not_in_unicode_range.json': 'message.not_json',
  'i_string_overlong_sequence_2_bytes.json': 'message.not_json',
  'i_string_overlong_sequence_6_bytes.json': 'message.not_json',
  'i_string_overlong_sequence_6_bytes_null.json': 'message.not_json',
  'i_string_truncated-utf-8.json': 'message.not_json',
  'i_string_utf16BE_no_BOM.json': 'message.not_json',
  'i_string_utf16LE_no_BOM.json': 'message.not_json',
  'i_structure_500_nested_arrays.json': 'message.too_deep',
  'i_structure_UTF-8_BOM_empty_object.json': 'message.not_json',
};

describeShared('corpora', 'the JSON parsing corpus', () => {
  const files = readdirSync(sharedPath(...folder)).sort();
  const named = (prefix: string) => files.filter(name => name.startsWith(prefix));
  const read = (name: string) => readShared(...folder, name);

  test('has 318 files: 188 are not JSON, 95 are, 35 may be either', () => {
    expect([files.length, named('n_').length, named('y_').length, named('i_').length]).toEqual([
      318, 188, 95, 35,
    ]);
  });

  test.each(named('n_'))('%s is refused, by itself and as a member', name => {
    expect([ruleOf(read(name)), parseJson(wrapped(read(name))).ok]).toEqual(['message.not_json', false]);
  });

  test.each(named('y_'))('%s is parsed, or refused by a rule of the bus', name => {
    const bytes = read(name);
    const rule = refusedByRule.get(name);
    const isObject = objects.includes(name) || name.startsWith('y_object_duplicated');
    expect(ruleOf(bytes)).toBe(isObject ? (rule ?? 'parsed') : 'message.not_json');
    const parsed = parseJson(wrapped(bytes));
    if (rule !== undefined) expect(ruleOf(wrapped(bytes))).toBe(rule);
    else expect(parsed).toMatchObject({ ok: true, value: { v: JSON.parse(bytes.toString('utf8')) } });
  });

  test('every file that may be either is decided', () => {
    expect(named('i_')).toEqual(Object.keys(undefinedByJson).sort());
  });

  test.each(Object.entries(undefinedByJson))('%s as a member is decided: %s', (name, decision) => {
    expect(ruleOf(wrapped(read(name)))).toBe(decision);
    const alone = name === 'i_object_key_lone_2nd_surrogate.json' ? decision : 'message.not_json';
    expect(ruleOf(read(name))).toBe(alone);
  });
});

import { isUtf8 } from 'node:buffer';
import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { inspectJson } from '../../../lib/platform/json/inspect.ts';
import { type ParsedJson, parseJson } from '../../../lib/platform/json/parse.ts';

const parse = (text: string): ParsedJson => parseJson(Buffer.from(text));

const reject = (text: string | Uint8Array) => {
  const parsed = parseJson(typeof text === 'string' ? Buffer.from(text) : text);
  return parsed.ok ? 'parsed' : parsed.violations.map(({ rule, path }) => ({ rule, path }));
};

const messageOf = (text: string): string => {
  const parsed = parse(text);
  return parsed.ok ? 'parsed' : parsed.violations[0].message;
};

describe('message.not_json', () => {
  const notJson = { rule: 'message.not_json' };

  test.each([
    ['an empty body', ''],
    ['a body of spaces', ' \n'],
    ['a trailing comma', '{"a":1,}'],
    ['a comment', '{}//'],
    ['two objects', '{}{}'],
    ['an unquoted name', '{a:1}'],
    ['an unknown escape', '{"a":"\\x41"}'],
    ['NaN', '{"a":NaN}'],
    ['a leading zero', '{"a":01}'],
    ['an empty slot in an array', '{"a":[1,,2]}'],
  ])('message.not_json: %s is refused', (_what, text) => {
    expect(reject(text)).toMatchObject([notJson]);
  });

  test.each([
    ['a byte order mark', [0xef, 0xbb, 0xbf, 0x7b, 0x7d]],
    ['a broken UTF-8 sequence', [0x7b, 0x22, 0xc3, 0x22, 0x3a, 0x31, 0x7d]],
    ['a surrogate in UTF-8', [0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]],
    ['an overlong slash', [0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]],
  ])('message.not_json: %s is refused', (_what, bytes) => {
    expect(reject(Uint8Array.from(bytes))).toMatchObject([notJson]);
  });

  test('message.not_json: a number too large for a double is refused, with its path', () => {
    expect(reject('{"a":[1,1e999],"b":-1e999}')).toEqual([
      { ...notJson, path: '/a/1' },
      { ...notJson, path: '/b' },
    ]);
  });

  test.each([
    ['{"a":1\n "b":2}', 'Not JSON at line 2, column 2: found "\\"", expected "," or "}".'],
    ['{"a":"x', 'Not JSON at line 1, column 8: found the end, expected a closing quote'],
    ['{"a":tru}', 'Not JSON at line 1, column 6: found "t", expected a value.'],
    ['[1]', 'The body is JSON, but an array (send each message by itself); expected one object.'],
    ['"x"', 'The body is JSON, but a string; expected one object.'],
    [' 7 ', 'The body is JSON, but a number; expected one object.'],
    ['true', 'The body is JSON, but a boolean; expected one object.'],
    ['null', 'The body is JSON, but null; expected one object.'],
    ['<a/>', 'The body begins with "<a/>"; expected one JSON object.'],
    ['', 'The body is empty; expected one JSON object.'],
  ])('the message says where and what: %s', (text, message) => {
    expect(messageOf(text)).toContain(message);
  });

  test.each([
    ['gzip', gzipSync('{}')],
    ['deflate', deflateSync('{}')],
    ['deflate', deflateSync('{}', { level: 1 })],
    ['zstd', Buffer.from('28b52ffd0400', 'hex')],
  ])('message.not_json: the message says that the body is compressed: %s', (name, bytes) => {
    const parsed = parseJson(bytes);
    expect(parsed.ok ? '' : parsed.violations[0].message).toBe(
      `The body is compressed (${name}); send it uncompressed.`,
    );
  });

  test('the message shows at most 40 characters of the body', () => {
    expect(messageOf(`<${'secret'.repeat(100)}`).length).toBeLessThan(120);
  });
});

describe('message.duplicate_member', () => {
  const at = (path: string) => ({ rule: 'message.duplicate_member', path });

  test.each([
    ['at the top', '{"a":1,"b":2,"a":3}', ['/a']],
    ['with the same value', '{"a":1,"a":1}', ['/a']],
    ['deep inside', '{"a":[{"b":{"c":1,"c":2}}]}', ['/a/0/b/c']],
    ['written with an escape', '{"a/b":1,"\\u0061/b":2}', ['/a~1b']],
    ['several times', '{"a":1,"a":2,"a":3,"b":{"~":1,"~":2}}', ['/a', '/a', '/b/~0']],
    ['named __proto__', '{"__proto__":1,"__proto__":2}', ['/__proto__']],
    ['with an empty name', '{"":1,"":2}', ['/']],
  ])('message.duplicate_member: a member there twice %s is refused', (_where, text, paths) => {
    expect(reject(text)).toEqual(paths.map(at));
  });

  test('message.duplicate_member: the same name in two objects, or as a value, is not a duplicate', () => {
    expect(parse('{"a":{"a":"a"},"b":{"a":["a","a:"]}}').ok).toBe(true);
  });

  test('message.duplicate_member: at most 50 are reported', () => {
    expect(reject(`{${'"a":1,'.repeat(500)}"b":1}`)).toHaveLength(50);
  });

  test('message.duplicate_member: a huge member name in the path does not fill the response', () => {
    const name = 'n'.repeat(5000);
    expect(reject(`{"x":{"${name}":{"a":1,"a":2}}}`)).toEqual([at('/x')]);
  });
});

describe('message.invalid_character', () => {
  const at = (path: string) => ({ rule: 'message.invalid_character', path });

  test.each([
    ['a high surrogate alone', '{"a":"\\ud83d"}', '/a'],
    ['a low surrogate alone', '{"a":["\\uDE00"]}', '/a/0'],
    ['a pair the wrong way round', '{"a":"\\ude00\\ud83d"}', '/a'],
    ['a high surrogate before text', '{"a":"\\ud83dx"}', '/a'],
    ['U+FFFF, raw', '{"a":"\uffff"}', '/a'],
    ['U+FFFE, raw', '{"a":{"b":"x\ufffe"}}', '/a/b'],
  ])('message.invalid_character: %s is refused', (_what, text, path) => {
    expect(reject(text)).toEqual([at(path)]);
  });

  test('message.invalid_character: surrogate pairs, escaped U+FFFF and other unusual characters are accepted', () => {
    const text = '{"a":"\\ud83d\\ude00 \\uFFFF \u{10ffff} \\u0000 \ufeff \\\\ud83d"}';
    expect(parse(text)).toMatchObject({ ok: true, value: JSON.parse(text) });
  });
});

describe('message.too_deep', () => {
  const nested = (levels: number): string =>
    `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

  test('message.too_deep: 64 levels are accepted, 65 are refused', () => {
    expect(parse(nested(64)).ok).toBe(true);
    expect(reject(nested(65))).toEqual([{ rule: 'message.too_deep', path: '/a'.repeat(64) }]);
  });

  test('message.too_deep: arrays count, brackets in strings do not', () => {
    expect(parse(`{"a":"${'['.repeat(100)}"}`).ok).toBe(true);
    expect(reject(`{"a":${'['.repeat(64)}${']'.repeat(64)}}`)).toMatchObject([
      { rule: 'message.too_deep' },
    ]);
  });
});

describe('parsing compared with JSON.parse', () => {
  const keeps = (text: string): void => {
    const parsed = parse(text);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      value = undefined;
    }
    if (parsed.ok) expect(parsed.value).toEqual(value);
    expect(inspectJson(text).length === 0).toBe(parsed.ok);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject) expect(reject(text)).toMatchObject([{ rule: 'message.not_json' }]);
    else if (!parsed.ok && parsed.violations[0].rule === 'message.not_json') {
      expect(parsed.violations[0].message).toContain('too large for a double');
    }
  };

  test('any JSON text gives the same value or a refusal', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom('', ' ', '\n\t'), (text, space) =>
        keeps(`{${space}"v"${space}:${text}}`),
      ),
      { numRuns: 3000 },
    );
  });

  test('a text with an insertion, a deletion or a repetition gives the same value or a refusal', () => {
    const piece = fc.constantFrom(
      ...String.raw`" \ { } [ ] , : 1 - . e9999 null \u \ud83d é "a":`.split(' '),
      ...['\uffff', '\n', ' '],
    );
    const seeds = [
      '{"a":{"b":[1,2.5e3,"x\\n\\u00e9"],"a":null},"c":[{},{"d":true}]}',
      '{"\\"":"\\\\","é":-0}',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...seeds),
        fc.array(fc.tuple(fc.nat(80), fc.nat(3), piece), { maxLength: 4 }),
        (seed, edits) =>
          keeps(
            edits.reduce(
              (text, [at, cut, put]) => text.slice(0, at) + put + text.slice(at + cut),
              seed,
            ),
          ),
      ),
      { numRuns: 3000 },
    );
  });

  test('any bytes give the value that they have as UTF-8, or a refusal', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
        const body = Buffer.concat([Buffer.from('{"a":"'), bytes, Buffer.from('"}')]);
        if (isUtf8(body)) keeps(body.toString('utf8'));
        else expect(reject(body)).toMatchObject([{ rule: 'message.not_json' }]);
      }),
      { numRuns: 3000 },
    );
  });

  test('duplicate members are found, each at its path', () => {
    const name = fc.constantFrom(
      'a',
      'b',
      '__proto__',
      'constructor',
      'toString',
      '',
      'é',
      '\\u0061',
    );
    const tree = fc.letrec<{ node: Node }>(tie => ({
      node: fc.oneof(
        { depthSize: 'small' },
        // Numbers that have a shorter text than their canonical form: they may hide a duplicate's
        // length.
        fc.constantFrom<Node>('1', '1e19', '5e-7', '-0'),
        fc.array(fc.tuple(name, tie('node')), { maxLength: 4 }).map<Node>(members => ({ members })),
      ),
    })).node;
    fc.assert(
      fc.property(fc.array(fc.tuple(name, tree), { maxLength: 4 }), members => {
        const expected = duplicatesIn({ members }, '');
        const found = reject(textOf({ members }));
        expect(found).toEqual(
          expected.length === 0
            ? 'parsed'
            : expected.map(path => ({ rule: 'message.duplicate_member', path })),
        );
      }),
      { numRuns: 3000 },
    );
  });

  test('members with the names of Object.prototype are ordinary members', () => {
    const parsed = parse('{"__proto__":{"x":1},"constructor":2,"toString":3,"hasOwnProperty":4}');
    expect(parsed.ok && Object.keys(parsed.value)).toEqual([
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
    ]);
  });
});

type Node = string | { readonly members: readonly (readonly [string, Node])[] };

const textOf = (node: Node): string =>
  typeof node === 'string'
    ? node
    : `{${node.members.map(([name, inner]) => `"${name}":${textOf(inner)}`).join(',')}}`;

const duplicatesIn = (node: Node, path: string): string[] => {
  if (typeof node === 'string') return [];
  const seen = new Set<string>();
  return node.members.flatMap(([name, inner]) => {
    const plain: string = JSON.parse(`"${name}"`);
    const here = `${path}/${plain}`;
    const again = seen.has(plain) ? [here] : [];
    seen.add(plain);
    return [...again, ...duplicatesIn(inner, here)];
  });
};

const size = 256 * 1024;
const enough = (piece: string): string => piece.repeat(Math.floor(size / piece.length) - 2);
const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

const laughs = lines(10, level =>
  level === 0
    ? 'l0: &l0 [ha, ha]'
    : `l${level}: &l${level} [${Array(10)
        .fill(`*l${level - 1}`)
        .join(', ')}]`,
);

/** YAML texts made to cost a reader time or memory, or to smuggle something in: title to text. */
export const hostileYaml: Readonly<Record<string, string>> = {
  'a billion laughs, ten levels': `${laughs}\nskills: *l9`,
  'a quadratic blow-up of one long list': `a: &a [${'1, '.repeat(8_000)}1]\nskills: [${'*a, '.repeat(900)}*a]`,
  'an alias of a long text in every label': `a: &a ${'x'.repeat(200_000)}\nskills: [${'{instance_label: *a}, '.repeat(190)}{}]`,
  'ten thousand aliases': `a: &a 1\nskills: [${'*a, '.repeat(10_000)}1]`,
  'an alias of itself': 'skills: &a [*a]',
  'flow lists 10,000 deep': `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
  'flow maps 10,000 deep': '{a: '.repeat(10_000),
  'block lists 10,000 deep': '- '.repeat(10_000),
  'block maps 600 deep': lines(600, depth => `${' '.repeat(depth)}a:`),
  'complex keys 10,000 deep': '? '.repeat(10_000),
  '256 KB of opening brackets': enough('['),
  '256 KB of closing brackets': enough(']'),
  '256 KB of commas in a list': `[${enough(',')}`,
  '256 KB of empty lists': enough('[]'),
  '256 KB of empty maps, a line each': enough('{}\n'),
  '256 KB of numbers': `[${enough('1,')}]`,
  '256 KB of question marks in a map': `{${enough('? ')}`,
  '256 KB of quotes': enough('"'),
  '256 KB of tags on one node': enough('! '),
  '256 KB of anchors on one node': enough('&a '),
  '256 KB of documents': enough('---\n'),
  '256 KB of directives': `${enough('%a\n')}--- 1`,
  '256 KB of comments': enough('#\n'),
  '256 KB of blank lines': `${enough('\n')}- 1`,
  '256 KB of block texts': enough('- |\n'),
  '256 KB of folded lines': `a: >\n${enough('  x\n\n')}`,
  '256 KB of one key': `${enough('a')}: 1`,
  '256 KB of spaces in a text': `"a${enough(' ')}b\n c"`,
  '25,000 keys': lines(25_000, index => `k${index}: 1`),
  '25,000 equal keys': lines(25_000, () => 'k: 1'),
};

const instance = (values: string): string =>
  `skills:\n- skill_id: smart-stories/gate-by-scope\n  instance_label: x\n  values: ${values}`;

/** YAML features that have no place in a skills file: title to text and what the refusal says. */
export const unwantedYaml: Readonly<Record<string, readonly [string, string]>> = {
  '!!js/function': [instance('!!js/function "return 1"'), 'js/function'],
  '!!js/regexp': ['- !!js/regexp /a/', 'js/regexp'],
  '!!python/object': ['- !!python/object:os.system {}', 'python/object'],
  'a tag of its own': ['- !mine x', 'the tag "!mine"'],
  '!!binary': ['- !!binary aGk=', 'binary'],
  '!!timestamp': ['- !!timestamp 2026-01-01', 'timestamp'],
  '!!set': ['- !!set {a}', 'set'],
  '!!omap': ['- !!omap [a: 1]', 'omap'],
  'a repeated key': ['skills: []\nskills: []', 'line 2, column 1: the key "skills" is there twice'],
  'a key repeated in another spelling': ['{"a": 1, a: 2}', 'the key "a" is there twice'],
  'a list as a key': ['{[a]: 1}', 'a key is not text'],
  'a null key': ['? \n: 1', 'a key is not text'],
  'an alias without an anchor': ['- *nobody', 'nobody'],
  'a second document': ['skills: []\n---\nskills: []', 'it holds 2 documents'],
  'a tab as indentation': ['skills:\n\t- a', 'Tabs are not allowed as indentation'],
  'a NUL': ['skills: "a\u0000"', 'the control character U+0000'],
  'an escape character': ['skills: \u001b[31m', 'the control character U+001B'],
  'an unfinished text': ['skills: "a', 'Missing closing'],
};

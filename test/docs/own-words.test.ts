import { readdirSync, readFileSync } from 'node:fs';
import { describeShared, readShared } from '../shared.ts';

const design = ['design/style.md', 'design/architecture.md'];
const sources = [...design, 'spec/contract.md', 'spec/service.md'];
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'test/README.md',
  'SECURITY.md',
  'examples/README.md',
  ...['docs', 'docs/guides', 'docs/decisions'].flatMap(folder =>
    readdirSync(folder)
      .filter(name => name.endsWith('.md'))
      .map(name => `${folder}/${name}`),
  ),
];

/** So many words in a row are a sentence taken over; fewer are how everybody would say it. */
const length = 9;

/** Words of sentences: identifiers, numbers and code are facts, which carry over. */
const wordsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/```.*?```|`[^`]*`|https?:\S+|\|[ -]*/gs, ' # ')
    .toLowerCase()
    .match(/[a-z']+|[#\d]+/g) ?? [];

const runsOf = (text: string): readonly string[] => {
  const words = wordsOf(text);
  return words
    .map((_, index) => words.slice(index, index + length))
    .filter(run => run.length === length && run.every(word => /^[a-z']/.test(word)))
    .map(run => run.join(' '));
};

describeShared('spec', 'the pages use their own wording', () => {
  const taken = new Set(
    sources.flatMap(source => runsOf(readShared(...source.split('/')).toString())),
  );

  test.each(pages)('%s', page => {
    expect(runsOf(readFileSync(page, 'utf8')).filter(run => taken.has(run))).toEqual([]);
  });
});

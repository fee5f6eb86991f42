import { readFileSync } from 'node:fs';
import { architecture } from '../../scripts/architecture.ts';

const text = readFileSync('docs/architecture.txt', 'utf8');
const joined = [...text.matchAll(/^arrow (\w+) (\w+)$/gm)].map(([, from = '', to = '']) => [from, to]);
const boxes = [...text.matchAll(/^box (\w+) /gm)].map(([, name = '']) => name);

test('every box is joined to another', () => {
  expect(boxes.filter(name => !joined.flat().includes(name))).toEqual([]);
});

test.each(['producer', 'consumer'])('a %s goes to the token service and through the gateway', who => {
  const reached = joined.filter(([from]) => from === who).map(([, to]) => to);
  expect(reached).toEqual(expect.arrayContaining(['token', 'gateway']));
});

test('what is pulled comes through the gateway too, and a role reads its queue directly', () => {
  expect(joined).toContainEqual(['gateway', 'pull']);
  expect(joined).not.toContainEqual(['queues', 'consumer']);
  expect(joined).toContainEqual(['queues', 'reader']);
});

test.each(['bax one 0 0 One | a', 'box one zero 0 One | a', 'arrow one', 'arrow producer nobody'])(
  'a line that says nothing is not passed over: %s',
  line => {
    expect(() => architecture(`${text}\n${line}\n`)).toThrow(line);
  },
);

test('the words fit into their boxes', () => {
  const words = [...text.matchAll(/^box .* \| (.*)$/gm)].map(([, inside = '']) => inside);
  expect(words.filter(inside => inside.length > 27)).toEqual([]);
});

test('the picture has every box and every arrow', () => {
  const picture = architecture(text);
  expect(picture.match(/<rect /g)).toHaveLength(boxes.length);
  expect(picture.match(/marker-end=/g)).toHaveLength(joined.length);
});

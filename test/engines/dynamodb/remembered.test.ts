import { rememberParsed } from '../../../lib/engines/dynamodb/tokens.ts';

test('an expression is parsed once as long as few different ones are in use', () => {
  const parsed: string[] = [];
  const parse = rememberParsed(text => ({ text, at: parsed.push(text) }));
  const [first] = [parse('a'), parse('b')];
  expect(parse('a')).toBe(first);
  expect(parsed).toEqual(['a', 'b']);
  for (let at = 0; at < 500; at += 1) parse(`c${at}`);
  expect(parse('a')).not.toBe(first);
  expect(parse('a').text).toBe('a');
});

import { invalidCharacter } from '../../../lib/engines/sqs/message-contents.ts';

test.each(['\t\n\r', ' ~', '\uD7FF\uE000\uFFFD', '\u{10000}\u{10FFFF}', 'ünïcödé 😀'])(
  '%j may be sent',
  text => {
    expect(invalidCharacter(text)).toBeUndefined();
  },
);

test.each([
  ['\0', '#x0'],
  ['ok \u001F', '#x1F'],
  ['\uD800', '#xD800'],
  ['\uDFFF', '#xDFFF'],
  ['\uDE00\uD83D', '#xDE00'],
  ['\uFFFE', '#xFFFE'],
  ['\uFFFF', '#xFFFF'],
])('%j is refused, and the refusal names it as %s', (text, name) => {
  expect(invalidCharacter(text)).toContain(`'${name}'`);
});

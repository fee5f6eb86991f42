import { wordsOf } from '../../lib/cli/command.ts';

const named = (name: string, message: string) => Object.assign(new Error(message), { name });

test.each([
  named('CredentialsProviderError', 'Could not load credentials from any providers'),
  new Error('Region is missing'),
])('a shell without AWS credentials or region is told what to set: $message', fault => {
  expect(wordsOf(fault)).toBe(`${fault.message}. Set AWS_PROFILE or the AWS_ variables, and AWS_REGION.`);
});

test('what else fails says what it says', () => {
  expect(wordsOf(new Error('Something else.'))).toBe('Something else.');
  expect(wordsOf('a text')).toBe('a text');
});

import { failureMessage } from '../../lib/cli/failures.ts';

const named = (name: string, message: string) => Object.assign(new Error(message), { name });

test.each([
  named('CredentialsProviderError', 'Could not load credentials from any providers'),
  new Error('Region is missing'),
])('without AWS credentials or a region, the message says what to set: $message', error => {
  expect(failureMessage(error)).toBe(
    `${error.message}. Set AWS_REGION, and AWS_PROFILE or the other AWS_ variables.`,
  );
});

test('any other error keeps its own message', () => {
  expect(failureMessage(new Error('Something else.'))).toBe('Something else.');
  expect(failureMessage('a text')).toBe('a text');
});

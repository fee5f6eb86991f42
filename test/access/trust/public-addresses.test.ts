import {
  isPublicAddress,
  problemWithChosenUrl,
  publicUrl,
} from '../../../lib/access/trust/public-addresses.ts';

test('an address is public if it is one, and of no special range', () => {
  for (const address of ['8.8.8.8', '172.15.255.255', '2a00::1', '2001:200::'])
    expect(isPublicAddress(address)).toBe(true);
  for (const address of ['172.16.0.1', '2001:db8::1', '1fff::1', '4000::', 'fe80::1', 'x', ''])
    expect(isPublicAddress(address)).toBe(false);
});

test('a URL is one that is written in full, over https unless http is allowed', () => {
  expect(publicUrl('https://a.example/b?c', false)?.href).toBe('https://a.example/b?c');
  expect(publicUrl('http://a.example', false)).toBeUndefined();
  expect(publicUrl('http://a.example', true)?.href).toBe('http://a.example/');
  for (const text of ['https:///a', 'https:a', ' https://a', 'https://a:x', 'ftp://a', ''])
    expect([publicUrl(text, false), publicUrl(text, true)]).toEqual([undefined, undefined]);
});

test.each<readonly [string, string | undefined]>([
  ['https://a.example', undefined],
  ['https://8.8.8.8', undefined],
  ['https://[2a00::1]', undefined],
  ['https://localhost.example', undefined],
  ['nothing', 'Its address "nothing" is not an https address.'],
  ...['10.0.0.1', '[::1]', 'localhost', 'a.localhost', 'localhost.'].map(
    (host): [string, string] => [
      `https://${host}/x`,
      `Its address "https://${host}/x" is not on the public internet, so the bus would not fetch it.`,
    ],
  ),
  ...['user@', ':word@', 'user:word@'].map((user): [string, string] => [
    `https://${user}a.example`,
    'Its address must not hold a user name or password.',
  ]),
])('the bus would connect to %s, or says why not', (text, problem) => {
  expect(problemWithChosenUrl('Its address', text, false)).toBe(problem);
});

test('where http is allowed, this machine is, too', () => {
  for (const text of ['http://localhost:8788', 'http://127.0.0.1', 'https://[::1]'])
    expect(problemWithChosenUrl('Its address', text, true)).toBeUndefined();
  expect(problemWithChosenUrl('Its address', 'nothing', true)).toContain('is not an https address');
});

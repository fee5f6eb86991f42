import { generateKeyPairSync } from 'node:crypto';
import { accessTokenVerifier } from '../../lib/tokens/access-token.ts';
import { claims, header, keys, kid, now, origin, token } from './tokens.ts';

const verified = (text: string, at = now) => accessTokenVerifier({ keys, origin })(text, at);
const second = 1000;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Another letter with the same upper bits: the lower four of a signature's last letter carry nothing. */
const twin = (letter: string): string => alphabet.charAt(alphabet.indexOf(letter) ^ 1);

/** A token that base64 and base64url spell differently: one in fifteen has neither letter that tells them apart. */
const tokenOfBothAlphabets = (): string => {
  for (;;) {
    const text = token(header, claims);
    if (/[-_]/.test(text)) return text;
  }
};

describe('an access token', () => {
  test('identifies the caller and its workspace for one hour, and says nothing about its permissions', () => {
    expect(claims).toEqual({
      iss: 'https://bus.example/v1/oauth',
      aud: 'https://bus.example',
      sub: 'caaaaaaaaaaaa',
      tenant: 'waaaaaaaaaaaa',
      org: 'oaaaaaaaaaaaa',
      app: 'aaaaaaaaaaaaa',
      environment: 'sandbox',
      credential_version: 1,
      iat: 1777885200,
      exp: 1777888800,
      jti: 'jti-1',
    });
  });

  test('is accepted with its claims while it lives', () => {
    expect(verified(token(header, claims))).toEqual(claims);
  });

  test('is accepted up to the leeway of five seconds past its end, and no longer', () => {
    const end = claims.exp * second;
    expect(verified(token(header, claims), end + 4_999)).toEqual(claims);
    expect(verified(token(header, claims), end + 5_000)).toBeUndefined();
  });

  test('is refused when it was issued in the future beyond the leeway', () => {
    expect(verified(token(header, claims), now - 5_000)).toEqual(claims);
    expect(verified(token(header, claims), now - 5_001)).toBeUndefined();
  });

  test.each([
    ['another issuer', { iss: 'https://other.example/v1/oauth' }],
    ['another audience', { aud: 'https://other.example' }],
    ['a list as audience', { aud: [origin] }],
    ['another environment', { environment: 'production' }],
    ['a credential version that is no integer', { credential_version: '1' }],
    ['an end that is text', { exp: String(claims.exp) }],
    ['no subject', { sub: undefined }],
  ])('is refused with %s', (_, change) => {
    expect(verified(token(header, { ...claims, ...change }))).toBeUndefined();
  });

  test.each([
    ['algorithm none', { alg: 'none' }],
    ['algorithm HS256', { alg: 'HS256' }],
    ['another type', { typ: 'at+jwt' }],
    ['an unknown key id', { kid: 'key-2' }],
    ['a list as key id', { kid: [kid] }],
    ['an embedded key', { jwk: {} }],
    ['a key address', { jku: 'https://attacker.example' }],
    ['a critical extension', { crit: ['exp'] }],
  ])('is refused with %s in its header', (_, change) => {
    expect(verified(token({ ...header, ...change }, claims))).toBeUndefined();
  });

  test('is refused when another key signed it', () => {
    const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    expect(verified(token(header, claims, foreign))).toBeUndefined();
  });

  test.each([
    ['empty', () => ''],
    ['two parts', (text: string) => text.split('.').slice(0, 2).join('.')],
    ['four parts', (text: string) => `${text}.e30`],
    ['padding', (text: string) => `${text}=`],
    ['the other base64 alphabet', (text: string) => text.replace(/[-_]/, '+')],
    ['a space', (text: string) => text.replace('.', ' .')],
    [
      'a last letter that decodes to the same bytes',
      (text: string) => text.slice(0, -1) + twin(text.slice(-1)),
    ],
    ['no signature', (text: string) => text.replace(/[^.]+$/, '')],
    ['over 8 KiB', (text: string) => text.padEnd(8193, 'A')],
  ])('is refused when its text is changed: %s', (_, change) => {
    expect(verified(change(tokenOfBothAlphabets()))).toBeUndefined();
  });
});

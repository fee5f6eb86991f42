import crypto from 'node:crypto';
import { accessTokenVerifier } from '../../../lib/bus/tokens/access-token.ts';
import { claims, header, keys, now, origin, token } from './tokens.ts';

const verified = (text: string, at = now) => accessTokenVerifier({ keys, origin })(text, at);
const second = 1000;

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

  test('is accepted up to the leeway of five seconds past its end, and no longer', () => {
    const end = claims.exp * second;
    expect(verified(token(header, claims), end + 4_999)).toEqual(claims);
    expect(verified(token(header, claims), end + 5_000)).toBeUndefined();
  });

  test('is refused when it was issued in the future beyond the leeway', () => {
    expect(verified(token(header, claims), now - 5_000)).toEqual(claims);
    expect(verified(token(header, claims), now - 5_001)).toBeUndefined();
  });
});

test('a token costs one verification of a signature when it is new, and none when it is known', () => {
  const verifier = accessTokenVerifier({ keys, origin });
  const text = token(header, claims);
  const [verify, readKey] = [jest.spyOn(crypto, 'verify'), jest.spyOn(crypto, 'createPublicKey')];
  const work = () => [verify, readKey].map(({ mock }) => mock.calls.length);
  expect(verifier(text, now)).toEqual(claims);
  expect(work()).toEqual([1, 0]);
  // A request brings its own copy of the text.
  for (let copy = 0; copy < 10; copy += 1)
    expect(verifier(Buffer.from(text).toString('latin1'), now)).toEqual(claims);
  expect(work()).toEqual([1, 0]);
  // Its end is compared with the clock each time.
  expect(verifier(text, (claims.exp + 5) * second)).toBeUndefined();
  jest.restoreAllMocks();
});

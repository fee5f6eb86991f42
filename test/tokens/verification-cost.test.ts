import crypto from 'node:crypto';
import { accessTokenVerifier } from '../../lib/tokens/access-token.ts';
import { claims, header, keys, now, origin, token } from './tokens.ts';

test('a token costs one verification of a signature when it is new, and none when it is known', () => {
  const verified = accessTokenVerifier({ keys, origin });
  const text = token(header, claims);
  const [verify, readKey] = [jest.spyOn(crypto, 'verify'), jest.spyOn(crypto, 'createPublicKey')];
  const work = () => [verify, readKey].map(({ mock }) => mock.calls.length);
  expect(verified(text, now)).toEqual(claims);
  expect(work()).toEqual([1, 0]);
  // A request brings its own copy of the text.
  for (let copy = 0; copy < 10; copy += 1)
    expect(verified(Buffer.from(text).toString('latin1'), now)).toEqual(claims);
  expect(work()).toEqual([1, 0]);
  jest.restoreAllMocks();
});

import { compactVerify, importJWK, type JWK } from 'jose';
import { verifyAccessToken } from '../../../lib/bus/tokens/access-token.ts';
import { algorithmsOf, selectKey } from '../../../lib/bus/tokens/foreign-token.ts';
import { decodePart, partsOf } from '../../../lib/bus/tokens/jws.ts';
import { parseJson } from '../../../lib/platform/json/parse.ts';
import type { JsonObject } from '../../../lib/platform/json/value.ts';
import { describeShared, readShared } from '../../shared.ts';
import { keys, origin } from './tokens.ts';

interface JwsVectors {
  readonly testGroups: readonly {
    readonly comment: string;
    readonly public?: JsonObject;
    readonly private?: JsonObject;
    readonly tests: readonly { tcId: number; comment: string; jws: string; result: string }[];
  }[];
}

/**
 * Whether a text is a JWS under a published key: read strictly, the key selected as for a foreign
 * token.
 */
const isValidJws = async (text: string, jwk: JsonObject): Promise<boolean> => {
  const [header, ...others] = partsOf(text)?.map(decodePart) ?? [];
  const parsed = header && others.every(Boolean) ? parseJson(header) : undefined;
  if (!parsed?.ok) return false;
  const { alg, kid } = parsed.value;
  const key = selectKey([jwk], { alg, kid: typeof kid === 'string' ? kid : undefined });
  if (!key) return false;
  const imported = await importJWK(key.jwk as JWK, key.algorithm);
  return compactVerify(text, imported, { algorithms: [key.algorithm] }).then(
    () => true,
    () => false,
  );
};

const algorithmOf = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text.split('.')[0] ?? '', 'base64url').toString())['alg'];
  } catch {
    return undefined;
  }
};

describeShared('corpora/wycheproof', 'the JWS vectors of Wycheproof', () => {
  const read = (): JwsVectors =>
    JSON.parse(readShared('corpora', 'wycheproof', 'json_web_signature_test.json').toString());

  test('get the expected result for the four algorithms, and are refused for every other', async () => {
    const wrong: string[] = [];
    const counts = { decided: 0, valid: 0 };
    for (const { comment, tests, ...group } of read().testGroups) {
      const jwk = group.public ?? group.private ?? {};
      for (const { tcId, comment: what, jws, result } of tests) {
        const text = typeof jws === 'string' ? jws : JSON.stringify(jws);
        const ours = algorithmsOf(jwk).some(algorithm => algorithm === algorithmOf(text));
        const expected = result === 'valid' && ours;
        if ((await isValidJws(text, jwk)) !== expected) wrong.push(`${tcId} ${comment} ${what}`);
        counts.decided += 1;
        counts.valid += expected ? 1 : 0;
      }
    }
    expect(wrong).toEqual([]);
    expect(counts.decided).toBe(401);
    expect(counts.valid).toBeGreaterThan(10);
  });

  test("are none of the bus's own access tokens", () => {
    const accepted = read().testGroups.flatMap(({ tests }) =>
      tests.filter(
        ({ jws }) => typeof jws === 'string' && verifyAccessToken(jws, { keys, origin }),
      ),
    );
    expect(accepted).toEqual([]);
  });
});

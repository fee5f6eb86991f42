import { createPublicKey, verify } from 'node:crypto';
import { rawToDer } from '../../../lib/domain/token/ecdsa-signature.ts';
import { describeShared, readShared } from '../../shared.ts';

interface Vectors {
  readonly testGroups: readonly {
    readonly publicKeyPem: string;
    readonly tests: readonly { tcId: number; comment: string; msg: string; sig: string; result: string }[];
  }[];
}

describeShared('corpora/wycheproof', 'the P-256 vectors of Wycheproof', () => {
  const read = (): Vectors =>
    JSON.parse(readShared('corpora', 'wycheproof', 'ecdsa_secp256r1_sha256_p1363_test.json').toString());

  test('are decided as they say: a signature is 64 bytes, converted to DER and verified', () => {
    const wrong: string[] = [];
    let decided = 0;
    for (const { publicKeyPem, tests } of read().testGroups) {
      const key = createPublicKey(publicKeyPem);
      for (const { tcId, comment, msg, sig, result } of tests) {
        const raw = Buffer.from(sig, 'hex');
        const valid = raw.length === 64 && verify('sha256', Buffer.from(msg, 'hex'), key, rawToDer(raw));
        if (valid !== (result === 'valid')) wrong.push(`${tcId} ${comment}`);
        decided += 1;
      }
    }
    expect(wrong).toEqual([]);
    expect(decided).toBe(262);
  });
});

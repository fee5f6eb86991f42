import { tryMutatedTokens } from '../campaign/mutated-tokens.ts';
import { convertSignatures } from '../campaign/signature-forms.ts';

test('no mutation of a valid token by a bit or a byte is accepted (10,000 tried; npm run campaign tries 100,000)', () => {
  expect(tryMutatedTokens(10_000)).toEqual({ tried: 10_000, accepted: [] });
});

test('every signature survives r ‖ s → DER → r ‖ s, short r and s included (100,000 tried)', () => {
  const { short, changed } = convertSignatures(100_000);
  expect(changed).toBe(0);
  expect(short).toBeGreaterThan(10_000);
});

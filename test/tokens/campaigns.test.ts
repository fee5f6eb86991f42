import { tryMutatedTokens } from '../campaign/mutated-tokens.ts';
import { convertSignatures } from '../campaign/signature-forms.ts';

test('no mutation of a valid token by a bit or a byte is accepted (4,000 tried; npm run campaign tries 100,000)', () => {
  expect(tryMutatedTokens(4_000)).toEqual({ tried: 4_000, accepted: [] });
});

test('every signature survives r ‖ s → DER → r ‖ s, short r and s included (20,000 tried)', () => {
  const { short, changed } = convertSignatures(20_000);
  expect(changed).toBe(0);
  expect(short).toBeGreaterThan(2_000);
});

import { hostileBodies, items, longTexts, storyWith } from './hostile.ts';

const tags = Array.from({ length: 5000 }, (_, i) => ({ scheme: 'newsroom', value: `${i}` }));

/** All bodies that are made to cost a verdict time: what each is, and the bytes. */
export const costlyBodies: readonly (readonly [string, Uint8Array])[] = [
  ...hostileBodies.map(([what, body]) => [what, body] as const),
  ...longTexts,
  ['5,000 distinct tags', storyWith({ tags })],
  ['12,000 distinct tags', items('tags', i => `{"value":"${i}"}`)],
];

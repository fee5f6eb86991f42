import { join } from 'node:path';
import { bundledOutput } from '../support/bundled-output.ts';
import { explore, type ModelVariant } from './model.ts';

test('every interleaving of two publishers, the relay, two queues and two crashes keeps the order and delivers everything', () => {
  const { states, problem } = bundledOutput(join(__dirname, 'whole-model.ts')) as ReturnType<typeof explore>;
  expect(problem).toBeUndefined();
  expect(states).toBeGreaterThan(10_000);
});

const naive: readonly ModelVariant[] = [
  { name: 'sends its own entry only', ownEntryOnly: true },
  { name: 'moves the head first', headFirst: true },
  { name: 'relays the last entry first', relayBackwards: true },
  { name: 'forgets a queue that refused', partialForgotten: true },
];

test.each(naive.map(variant => [variant.name, variant] as const))(
  'a service that %s is found wrong',
  (_name, variant) => {
    expect(explore(variant).problem).toBeDefined();
  },
);

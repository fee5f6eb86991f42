import type { Registry } from '../../../lib/registry/registry.ts';

/** A registry that knows nobody, but for what a test puts in its place. */
export const registryWith = (known: Partial<Registry> = {}): Registry => ({
  connection: async () => undefined,
  consumersOf: async () => [],
  isRegistered: async () => false,
  principalsOf: async () => [],
  provider: async () => undefined,
  boundConnection: async () => undefined,
  ...known,
});

import { limitReached } from '../../../lib/registry/operator.ts';
import { type Principal, type Principals, roleKey, roleOfArn } from '../../../lib/registry/principals.ts';

const keyOf = ({ scope, roleArn, connection }: Principal): string => {
  const role = roleOfArn(roleArn);
  return `${scope}#${role && roleKey(role)}#${connection}`;
};

/** Registrations of roles in memory, with the conditions of the table's writes. */
export const principalsInMemory = (...first: readonly Principal[]) => {
  const kept = new Map(first.map(one => [keyOf(one), one]));
  const current = (read: Principal): Principal | undefined => {
    const one = kept.get(keyOf(read));
    const same = one?.challenge !== undefined && one.challenge.hash === read.challenge?.hash;
    return same && one.status !== 'revoked' ? one : undefined;
  };
  const change = (read: Principal, to: (one: Principal) => Principal): boolean => {
    const one = current(read);
    if (one) kept.set(keyOf(one), to(one));
    return one !== undefined;
  };
  const port: Principals = {
    list: async scope => [...kept.values()].filter(one => one.scope === scope),
    async put(principal, slots) {
      const others = [...kept.values()].filter(
        one =>
          one.connection === principal.connection &&
          one.status !== 'revoked' &&
          keyOf(one) !== keyOf(principal),
      );
      const full = slots.find(slot => principal.status !== 'revoked' && others.length >= (slot.max ?? 20));
      if (full) return limitReached({ slot: full, max: others.length });
      if (principal.status === 'revoked') kept.delete(keyOf(principal));
      else kept.set(keyOf(principal), principal);
      return undefined;
    },
    verify: async (principal, verifiedAt) =>
      change(principal, ({ challenge: _, ...one }) => ({ ...one, status: 'verified', verifiedAt })),
    admit: async (principal, verifiedAt) =>
      change(principal, one => ({ ...one, status: 'verified', verifiedAt })),
    withdraw: async principal =>
      void change(principal, ({ verifiedAt: _, ...one }) => ({ ...one, status: 'pending' })),
  };
  return { port, all: () => [...kept.values()] };
};

import { type Principal, type Principals, roleKey, roleOfArn } from '../../lib/registry/principals.ts';
import type { QueueReaders } from '../../lib/registry/queue-access.ts';

const keyOf = ({ scope, roleArn, connection }: Principal): string => {
  const role = roleOfArn(roleArn);
  return `${scope}#${role && roleKey(role)}#${connection}`;
};

/** Registrations in memory, with the conditions that the table's writes have. */
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
    put: async principal => void kept.set(keyOf(principal), principal),
    verify: async (principal, verifiedAt) =>
      change(principal, ({ challenge: _, ...one }) => ({ ...one, status: 'verified', verifiedAt })),
    admit: async (principal, verifiedAt) =>
      change(principal, one => ({ ...one, status: 'verified', verifiedAt })),
    withdraw: async principal =>
      void change(principal, ({ verifiedAt: _, ...one }) => ({ ...one, status: 'pending' })),
  };
  return { port, all: () => [...kept.values()] };
};

/** One queue and who reads it; roles that AWS does not know are refused, as SQS does. */
export const queueInMemory = (unknown: ReadonlySet<string> = new Set()) => {
  let readers: readonly string[] = [];
  const port: QueueReaders = {
    letRead: async (_queue, roleArns) => {
      if (roleArns.some(arn => unknown.has(arn))) return 'refused';
      readers = [...roleArns];
      return 'set';
    },
  };
  return { port, readers: () => readers };
};

export class Crash extends Error {}

/** Ends everything at the n-th call of some ports, before that call has its effect or after. */
export const crashing = (at: number, when: 'before' | 'after') => {
  let calls = 0;
  const wrap = <P extends object>(port: P): P =>
    new Proxy(port, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return async (...args: unknown[]) => {
          calls += 1;
          if (calls === at && when === 'before') throw new Crash();
          const result: unknown = await method.apply(target, args);
          if (calls === at && when === 'after') throw new Crash();
          return result;
        };
      },
    });
  return { wrap, calls: () => calls };
};

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

/** A promise, and the function that resolves it. */
export const deferred = <T>(): { readonly promise: Promise<T>; resolve(value: T): void } => {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>(fulfil => {
    resolve = fulfil;
  });
  return { promise, resolve: value => resolve(value) };
};

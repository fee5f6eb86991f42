/** A port that a test never gets to: to call it is an error. */
export const unused = <Port extends object>(name: string): Port =>
  new Proxy({} as Port, {
    get: () => {
      throw new Error(`Nobody should use ${name} here.`);
    },
  });

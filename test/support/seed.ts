/**
 * Where random tests begin: at the same place in every run, so that a failure is a change's and not
 * the day's; at `SOMBUS_SEED` where it is a number, anywhere where it is `random`.
 */
export const seed = (() => {
  const given = process.env['SOMBUS_SEED'] ?? '20260504';
  return given === 'random' ? Date.now() % 2 ** 31 : Number(given);
})();

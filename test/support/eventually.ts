/**
 * Gives the event loop turns until `condition` holds. Only the runner's limit ends one that never
 * does.
 */
export const eventually = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await new Promise(resolve => setImmediate(resolve));
};

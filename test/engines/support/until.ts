/** Gives the event loop turns until `condition` holds: for what happens on the other side of a connection. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => setImmediate(resolve));
}

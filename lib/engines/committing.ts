import type { JsonObject } from '../json/value.ts';
import type { Call, Operation, Operations } from './aws-json/server.ts';

/**
 * Operations that answer or refuse when `committed` resolves: until then, what they read and changed may be undone. If it
 * rejects, so do they.
 */
export const committing = (operations: Operations, committed: () => Promise<void>): Operations => {
  const held = async (operation: Operation, input: JsonObject, call: Call): Promise<JsonObject> => {
    try {
      return await operation(input, call);
    } finally {
      await committed();
    }
  };
  return new Map([...operations].map(([name, run]) => [name, (input, call) => held(run, input, call)]));
};

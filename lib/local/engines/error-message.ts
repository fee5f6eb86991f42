/** What an error says; of anything else that was thrown, its text. */
export const errorMessage = (fault: unknown): string =>
  fault instanceof Error ? fault.message : String(fault);

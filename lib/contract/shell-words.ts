/** A text as one word of a POSIX shell, whatever it contains (POSIX.1-2024, Shell Command Language, 2.2.2 Single-Quotes). */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * The command that publishes a first message as a producer. Without its id, commands use the demo workspace. The secret is in
 * SOMBUS_CLIENT_SECRET, or kept by the local service.
 *
 * @param systemIds those that it may send as
 */
export const publishCommand = (
  producer: string,
  { systemIds: [systemId = ''] }: { readonly systemIds: readonly string[] },
): string => `sombus example --system-id ${shellWord(systemId)} | sombus publish - --connection ${producer}`;

/** The command that shows what a consumer receives; the secret comes from the same place. @param consumer its connection_id */
export const tailCommand = (consumer: string): string => `sombus tail --connection ${consumer}`;

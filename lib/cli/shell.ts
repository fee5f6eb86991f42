/** A text as one word of a POSIX shell, whatever it contains (POSIX.1-2024, Shell Command Language, 2.2.2 Single-Quotes). */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Variables as lines that a shell or a `.env` reader takes. */
export const shellLines = (variables: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);

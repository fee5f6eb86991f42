/**
 * The parameters of paths in the descriptions, by their letter in the route table: generators make
 * names of them, and some cannot use a letter that they use themselves (`c` in Go).
 */
export const pathParameters = {
  t: { name: 'workspace', description: 'The workspace.' },
  c: { name: 'consumer', description: 'The consumer connection.' },
  m: { name: 'message_id', description: 'The message_id.' },
  r: { name: 'run_id', description: 'The test run.' },
  e: { name: 'evidence', description: 'The name that stands in the report.' },
} as const;

const isLetter = (text: string): text is keyof typeof pathParameters => text in pathParameters;

/** A path of the route table, with the descriptions' names. */
export const describedPath = (path: string): string =>
  path.replace(/\{(\w+)\}/g, (whole, letter: string) => {
    if (isLetter(letter)) return `{${pathParameters[letter].name}}`;
    return whole;
  });

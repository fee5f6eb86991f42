/** What a work writes to standard output and error meanwhile: Lambda's log, a JSON object a line. */
export const writtenLines = async (
  work: () => unknown,
): Promise<readonly Record<string, unknown>[]> => {
  const lines: string[] = [];
  const writes = [process.stdout, process.stderr].map(stream =>
    jest.spyOn(stream, 'write').mockImplementation(line => lines.push(String(line)) > 0),
  );
  try {
    await work();
  } finally {
    for (const write of writes) write.mockRestore();
  }
  // Node's own warnings are no lines of ours.
  return lines.filter(line => line.startsWith('{')).map(line => JSON.parse(line));
};

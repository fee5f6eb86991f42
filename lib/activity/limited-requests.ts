import type { Limited } from './records.ts';

/** A line of the bus's access log. */
export interface AccessLine {
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly message: string;
}

const readLine = ({ timestamp, message }: AccessLine): Limited | undefined => {
  const { connection, workspace }: Readonly<Record<string, unknown>> = JSON.parse(message);
  // What API Gateway does not know is `-` in its log.
  if (typeof connection !== 'string' || connection === '-') return undefined;
  if (typeof workspace !== 'string' || workspace === '-') return undefined;
  return { kind: 'limited', connection, workspace, at: timestamp - (timestamp % 60_000), requests: 1 };
};

/** The requests that API Gateway refused: one record for each connection and minute, however many lines there are. */
export const limitedIn = (lines: readonly AccessLine[]): readonly Limited[] => {
  const found = new Map<string, Limited>();
  for (const line of lines) {
    const limited = readLine(line);
    if (!limited) continue;
    const key = `${limited.connection} ${limited.at}`;
    found.set(key, { ...limited, requests: (found.get(key)?.requests ?? 0) + 1 });
  }
  return [...found.values()];
};

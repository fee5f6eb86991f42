/** What the run found out: each check has a name, and the run fails if one of them did. */
export interface Checks {
  /** Begins a part of the run. */
  step(title: string): void;
  /** Passes unless its body throws. */
  check(name: string, body: () => Promise<unknown> | unknown): Promise<boolean>;
  /** Adds to a figure of the last line. */
  count(figure: string, by?: number): void;
  /** Something that a reader should know, which is no failure. */
  note(text: string): void;
  readonly failures: readonly string[];
  summary(): string;
}

const firstLines = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n').slice(0, 12).join('\n      ');
};

export const newChecks = (say: (line: string) => void, now: () => number): Checks => {
  const failures: string[] = [];
  const figures = new Map<string, number>();
  const began = now();
  const seconds = () => Math.round((now() - began) / 1000);
  let passed = 0;
  return {
    failures,
    step: title => say(`\n${title} (${seconds()} s)`),
    async check(name, body) {
      try {
        await body();
        passed += 1;
        say(`  ok    ${name}`);
        return true;
      } catch (error) {
        failures.push(name);
        say(`  FAIL  ${name}\n      ${firstLines(error)}`);
        return false;
      }
    },
    count: (figure, by = 1) => void figures.set(figure, (figures.get(figure) ?? 0) + by),
    note: text => say(`  note  ${text}`),
    summary() {
      const counted = [...figures].map(([figure, number]) => `, ${number} ${figure}`).join('');
      return `deployed: ${passed} checks passed, ${failures.length} failed${counted}, ${seconds()} s`;
    },
  };
};

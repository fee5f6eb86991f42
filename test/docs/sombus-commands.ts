/** One use of the program in a text, as its arguments. */
export type Arguments = readonly string[];

/** What stands for a variable, an inner command or a `<placeholder>`. */
const samples: Readonly<Record<string, string>> = {
  ENV: 'sandbox',
  PERSON: 'anna@example.org',
  time: '2026-05-04T09:00:00Z',
};
const sample = (name: string): string => samples[name] ?? 'caaaaaaaaaaaa';

/** The text with what only a shell or a reader knows filled in. */
const filled = (text: string): string =>
  text
    .replaceAll(/\\\n\s*/g, ' ')
    .replaceAll(/\$\((?!npx)((?:[^()"]|"[^"]*")*)\)/g, (_, inner: string) =>
      sample(/\bnow\b/.test(inner) ? 'time' : ''),
    )
    .replaceAll(/\$\{?(\w+)\}?/g, (_, name: string) => sample(name))
    .replaceAll(/<([a-z]+)>/g, (_, name: string) => sample(name))
    .replaceAll(/\[(--[^\]]+)\]/g, '$1');

const word = /\s*(?:'([^']*)'|"([^"]*)"|([^\s'"|;&()<>#`]+))/y;

/** The words from a place up to where the shell's own signs begin. */
const wordsFrom = (text: string, start: number): Arguments => {
  const words: string[] = [];
  word.lastIndex = start;
  for (let found = word.exec(text); found; found = word.exec(text)) {
    words.push(found[1] ?? found[2] ?? found[3] ?? '');
  }
  return words;
};

/** Every use of `sombus` in a line or block of shell, as its arguments. */
export const sombusCommands = (shell: string): readonly Arguments[] =>
  filled(shell)
    .split('\n')
    .flatMap(line =>
      [...line.matchAll(/(?<![\w./-])sombus (?=[a-z])/g)].map(({ index, 0: start }) =>
        wordsFrom(line, index + start.length),
      ),
    );

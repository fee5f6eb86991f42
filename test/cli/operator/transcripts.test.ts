import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Change } from '../../../lib/access/people/noting.ts';
import { awsSealRings } from '../../../lib/access/seals/seal-ring.dynamodb.ts';
import { identifier } from '../../../lib/contract/identifiers.ts';
import type { Ids } from '../../../lib/contract/outside.ts';
import { durationMilliseconds } from '../../../lib/platform/json/formats.ts';
import type { OperatorPorts } from '../../../lib/wiring/operator.ts';
import { sombusOn } from '../../support/commands.ts';
import { registryHere } from '../../support/registry-here.ts';

// Sessions at a terminal, as they are written down in `transcripts`: what a command prints, on
// standard error behind an exclamation mark; how it exits, unless well; what it has recorded.

const kinds = { sbs: 'secret', sbi: 'invitation', sbc: 'challenge' } as const;

/**
 * Short names for what is random: `o1` for the id of the first organisation, `secret1` for the
 * first secret.
 */
class Names {
  readonly #made = new Set<string>();
  readonly #names = new Map<string, string>();
  readonly #real = new Map<string, string>();
  #count = 0;

  /** Later ones come behind in a list. */
  readonly ids: Ids = {
    random: bytes => {
      const made = new Uint8Array(bytes);
      this.#count += 1;
      made.set([Math.floor(this.#count / 26), this.#count % 26], bytes - 2);
      this.#made.add(identifier('o', made).slice(1));
      return made;
    },
  };

  name(real: string, kind: string): string {
    const known = this.#names.get(real);
    if (known !== undefined) return known;
    const before = [...this.#names.values()].filter(name => name.replace(/\d+$/, '') === kind);
    const name = `${kind}${before.length + 1}`;
    this.#names.set(real, name);
    this.#real.set(name, real);
    return name;
  }

  shown(text: string): string {
    const folder = this.#real.get('folder1') ?? '';
    return text
      .replaceAll(folder, 'folder1')
      .replaceAll(/(?<=127\.0\.0\.1:)\d{4,5}/g, 'PORT')
      .replaceAll(/(?<=:key\/)[\da-f-]{36}/g, uuid => this.name(uuid, 'key'))
      .replaceAll(/\bAAA[A-Z]\b/g, id => this.name(id, 'seal'))
      .replaceAll(/\b(sb[sic])_[\w-]{43}/g, (secret, kind: keyof typeof kinds) =>
        this.name(secret, kinds[kind]),
      )
      .replaceAll(/(?<![\w-])[\w-]{43}(?![\w-])/g, hash => this.name(hash, 'hash'))
      .replaceAll(/\b([a-z])([a-z2-7]{12})\b/g, (id, kind: string, random: string) =>
        this.#made.has(random) ? this.name(id, kind) : id,
      );
  }

  real(text: string): string {
    return text.replaceAll(/\b[a-z]+\d+\b/g, name => this.#real.get(name) ?? name);
  }
}

const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

const recordedLine = ({ what, organisation, facts }: Change): string => {
  const told = Object.entries(facts).map(([name, value]) => `${name}=${value}`);
  return ['recorded', organisation, what, ...told].join(' ');
};

/** A command of the session: `sombus`, or `cat` for a file that it wrote. */
const ran = async (ports: OperatorPorts, [program, ...args]: readonly string[]) => {
  if (program === 'cat') return { code: 0, stdout: readFileSync(args.join(), 'utf8'), stderr: '' };
  return sombusOn({ registry: () => ports }, ...args, '--data', 'x');
};

const marked = (text: string, mark = ''): readonly string[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map(line => `${mark}${line}`);

/** The session as it goes now: the lines that begin with `$` and `##` are what is done. */
const played = async (session: string, here: ReturnType<typeof registryHere>): Promise<string> => {
  const names = new Names();
  const made = mkdtempSync(join(tmpdir(), 'sombus-session-'));
  names.name(made, 'folder');
  const noted: Change[] = [];
  const registry = here.ports();
  const ports: OperatorPorts = {
    ...registry,
    ids: names.ids,
    sealRings: awsSealRings(here.table(), names.ids),
    changes: {
      ...registry.changes,
      // Whoever does not wait for it records too late.
      note: async change => {
        await setImmediate();
        noted.push(change);
      },
    },
  };
  const lines: string[] = [];
  for (const line of session.split('\n')) {
    const [, time] = /^## (\w+) later$/.exec(line) ?? [];
    if (time !== undefined) here.clock.advance(durationMilliseconds(time) ?? Number.NaN);
    const [mark, ...words] = wordsOf(line);
    if (mark === '##') lines.push(line, '');
    if (mark !== '$') continue;
    const { code, stdout, stderr } = await ran(
      ports,
      words.map(word => names.real(word)),
    );
    const written = [
      ...marked(stdout),
      ...marked(stderr, '! '),
      ...(code === 0 ? [] : [`exit ${code}`]),
      ...noted.splice(0).map(recordedLine),
    ];
    lines.push(line, ...written.map(one => names.shown(one)), '');
  }
  rmSync(made, { recursive: true });
  return lines.join('\n');
};

const folder = 'test/cli/operator/transcripts';
const sessions = readdirSync(folder).filter(name => name.endsWith('.txt'));

describe.each(sessions)('the session %s', name => {
  const here = registryHere();

  test('goes as it is written down', async () => {
    const session = readFileSync(join(folder, name), 'utf8');
    expect(await played(session, here)).toBe(session);
  });
});

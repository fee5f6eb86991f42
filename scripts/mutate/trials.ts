import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { API } from 'typescript/unstable/sync';
import { importGraph, readSources } from '../import-graph.ts';
import { bytesAsText, type Mutant, mutated, textAsBytes, withProbes } from './mutants.ts';

/** `hung`: the tests did not end, which also finds it. */
export type Outcome = 'found' | 'hung' | 'survived';

/** The late suites start the built service, or compare documents: they are only for mutants that all others let pass. */
export type Stage = 'early' | 'late';

/** A suite, and how long it takes. */
interface Suite {
  readonly path: string;
  readonly seconds: number;
}

/** Suites that read source texts, or that take long for what they would find. */
const ignored = /^test\/(structure|fuzz|torture|no-clocks)/;
const late = /^test\/(e2e|docs|cli|examples|infra\/bundles)/;
/** The most seconds of suites for one mutant and stage. */
const maxSeconds = 60;
const surveySeconds = 3_600;

const built = ['dist', 'lib/generated'] as const;

interface JestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
}

interface Limits {
  readonly seconds: number;
  readonly variables?: NodeJS.ProcessEnv;
}

const linesOf = (cwd: string, program: string, ...args: readonly string[]): readonly string[] =>
  spawnSync(program, args, { cwd, encoding: 'utf8' }).stdout.split('\n').filter(Boolean);

/** A copy of this checkout, in which mutants are planted one at a time. */
export class Trials {
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), 'sombus-mutate-')));
  readonly #seen = join(this.#folder, 'reached.txt');
  /** The suites of the last survey that reach a mutant, the most promising first. */
  readonly #suites = new Map<Mutant, readonly Suite[]>();
  readonly #types = new API({ cwd: this.#folder });
  /** Which files of lib import a file, for its types too. */
  readonly #importers: ReadonlyMap<string, readonly string[]>;
  #isBuilt = true;
  #child: ChildProcess | undefined;

  constructor(checkout: string) {
    for (const path of linesOf(checkout, 'git', 'ls-files', '-co', '--exclude-standard'))
      if (existsSync(join(checkout, path))) cpSync(join(checkout, path), join(this.#folder, path));
    for (const path of built)
      for (const copy of [path, join('kept', path)])
        cpSync(join(checkout, path), join(this.#folder, copy), { recursive: true });
    for (const path of ['node_modules', 'test/support/dynoxide/node_modules'])
      if (existsSync(join(checkout, path)))
        symlinkSync(realpathSync(join(checkout, path)), join(this.#folder, path));
    const graph = [...importGraph(readSources(checkout, ['lib']), { types: true })];
    this.#importers = new Map(
      graph.map(([file]) => [file, graph.flatMap(([from, to]) => (to.includes(file) ? [from] : []))]),
    );
  }

  /** Ends what still runs. */
  close(): void {
    this.#types.close();
    if (this.#child) endGroup(this.#child);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Whether a mutant compiles, and everything of lib that imports its file. */
  compiles(mutant: Mutant): boolean {
    const text = this.#read(mutant.file);
    this.#write(mutant.file, mutated(text, mutant));
    const isRight = this.#isTyped(mutant.file);
    this.#write(mutant.file, text);
    this.#types.updateSnapshot({ fileChanges: { changed: [join(this.#folder, mutant.file)] } }).dispose();
    return isRight;
  }

  #isTyped(file: string): boolean {
    const path = join(this.#folder, file);
    const snapshot = this.#types.updateSnapshot({
      openProjects: [join(this.#folder, 'tsconfig.json')],
      fileChanges: { changed: [path] },
    });
    const [project] = snapshot.getProjects();
    if (!project) throw new Error('tsc does not know the project.');
    const { program } = project;
    const isRight = [file, ...(this.#importers.get(file) ?? [])].every(
      one => program.getSemanticDiagnostics(join(this.#folder, one)).length === 0,
    );
    const isParsed = program.getSyntacticDiagnostics(path).length === 0;
    snapshot.dispose();
    return isParsed && isRight;
  }

  /** Runs suites with a note at the place of each mutant, to learn how long each takes and which places it reaches. */
  async survey(stage: Stage, mutants: readonly Mutant[], note: (line: string) => void): Promise<void> {
    const paths = this.#listSuites().filter(path => late.test(path) === (stage === 'late'));
    note(`${stage} survey: ${mutants.length} mutants, ${paths.length} suites`);
    const files = [...new Set(mutants.map(({ file }) => file))];
    const originals = files.map(file => [file, this.#read(file)] as const);
    for (const [file, text] of originals) {
      const places = new Map([...mutants.entries()].filter(([, mutant]) => mutant.file === file));
      this.#write(file, withProbes(text, places, probe));
    }
    writeFileSync(this.#seen, '');
    if (stage === 'late' && !this.#build()) throw new Error('The instrumented checkout cannot be built.');
    const suites: Suite[] = [];
    if (stage === 'early') suites.push(...(await this.#measured(paths)));
    else for (const path of paths) suites.push(...(await this.#measured([path], { [suiteVariable]: path })));
    for (const [file, text] of originals) this.#write(file, text);
    if (!this.#isBuilt) this.#restoreBuild();
    this.#assign(mutants, await this.#reliable(suites, note));
  }

  /** Suites that pass without any mutant. Probes may disturb those that count steps. */
  async #reliable(suites: readonly Suite[], note: (line: string) => void): Promise<readonly Suite[]> {
    const failing = suites.filter(({ seconds }) => seconds < 0).map(({ path }) => path);
    const again = await this.#measured(failing);
    const passing = new Set(again.filter(({ seconds }) => seconds > 0).map(({ path }) => path));
    const broken = new Set(failing.filter(path => !passing.has(path)));
    for (const path of broken) note(`left out, because it fails without any mutant: ${path}`);
    return suites
      .filter(({ path }) => !broken.has(path))
      .map(({ path, seconds }) => ({ path, seconds: Math.abs(seconds) }));
  }

  #assign(mutants: readonly Mutant[], suites: readonly Suite[]): void {
    const lines = new Set(readFileSync(this.#seen, 'utf8').split('\n'));
    for (const [id, mutant] of mutants.entries()) {
      // The tests of its own folder find most.
      const own = mutant.file.replace(/^lib\/([^/]+)\/.*/, 'test/$1/');
      const cost = ({ path, seconds }: Suite) => (seconds + 1) * (path.startsWith(own) ? 1 : 5);
      const reaching = suites.filter(({ path }) => lines.has(`${id} ${path}`));
      this.#suites.set(
        mutant,
        within(
          maxSeconds,
          reaching.sort((one, other) => cost(one) - cost(other)),
        ),
      );
    }
  }

  /** Plants a mutant, and runs the suites of the last survey that reach it until one fails. */
  async attempt(stage: Stage, mutant: Mutant): Promise<Outcome> {
    const text = this.#read(mutant.file);
    this.#write(mutant.file, mutated(text, mutant));
    try {
      return await this.#outcome(stage, this.#suites.get(mutant) ?? []);
    } finally {
      this.#write(mutant.file, text);
      if (!this.#isBuilt) this.#restoreBuild();
    }
  }

  async #outcome(stage: Stage, suites: readonly Suite[]): Promise<Outcome> {
    if (suites.length === 0) return 'survived';
    if (stage === 'late' && !this.#build()) return 'found';
    for (const batch of batches(suites)) {
      const found = await this.#tryOn(batch);
      if (found) return found;
    }
    return 'survived';
  }

  async #tryOn(suites: readonly Suite[]): Promise<'found' | 'hung' | undefined> {
    const expected = suites.reduce((sum, { seconds }) => sum + seconds, 0);
    const paths = suites.map(({ path }) => path);
    const status = await this.#run('jest', ['-i', '--bail', '--runTestsByPath', ...paths], {
      seconds: 60 + 5 * expected,
    });
    if (status === undefined) return 'hung';
    return status === 0 ? undefined : 'found';
  }

  #listSuites(): readonly string[] {
    const paths = linesOf(this.#folder, 'node_modules/.bin/jest', '--listTests');
    return paths.map(path => relative(this.#folder, path)).filter(path => !ignored.test(path));
  }

  /** Runs suites to their ends. One that failed has its seconds negated. */
  async #measured(paths: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<readonly Suite[]> {
    if (paths.length === 0) return [];
    const output = join(this.#folder, 'jest.json');
    rmSync(output, { force: true });
    await this.#run('jest', ['-i', '--json', '--outputFile', output, '--runTestsByPath', ...paths], {
      seconds: surveySeconds,
      variables: { [seenVariable]: this.#seen, ...env },
    });
    if (!existsSync(output)) return [];
    const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as JestReport;
    return testResults.map(({ name, status, startTime, endTime }) => ({
      path: relative(this.#folder, name),
      seconds: (Math.max(1, endTime - startTime) / 1000) * (status === 'passed' ? 1 : -1),
    }));
  }

  #build(): boolean {
    this.#isBuilt = false;
    const { status } = spawnSync(process.execPath, ['scripts/build.mjs'], {
      cwd: this.#folder,
      timeout: 120_000,
    });
    return status === 0;
  }

  #restoreBuild(): void {
    for (const path of built)
      cpSync(join(this.#folder, 'kept', path), join(this.#folder, path), { recursive: true, force: true });
    this.#isBuilt = true;
  }

  /** The exit code; undefined if the time was over. What the program started ends with it. */
  #run(
    program: string,
    args: readonly string[],
    { seconds, variables = {} }: Limits,
  ): Promise<number | undefined> {
    const env = { ...process.env, NODE_OPTIONS: '--max-old-space-size=3000', ...variables };
    const child = spawn(join(this.#folder, 'node_modules', '.bin', program), args, {
      cwd: this.#folder,
      env,
      stdio: 'ignore',
      detached: true,
    });
    this.#child = child;
    const timer = setTimeout(() => endGroup(child), seconds * 1000);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', code => {
        clearTimeout(timer);
        endGroup(child);
        resolve(code ?? undefined);
      });
    });
  }

  #read(file: string): string {
    return bytesAsText(readFileSync(join(this.#folder, file)));
  }

  #write(file: string, text: string): void {
    writeFileSync(join(this.#folder, file), textAsBytes(text));
  }
}

/** Ends a program and all that it started. */
const endGroup = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
};

const seenVariable = 'SOMBUS_REACHED';
const suiteVariable = 'SOMBUS_SUITE';

/** Notes which suite reaches a place, once in each process and suite. Programs that a suite starts are told its name. */
const probe = `function __reached(id) {
  const { ${seenVariable}: file, ${suiteVariable}: suite } = process.env;
  if (!file) return;
  const path = suite ?? globalThis.expect?.getState().testPath;
  const noted = (globalThis.__reachedPlaces ??= new Set());
  if (!path || noted.has(id)) return;
  noted.add(id);
  require('node:fs').appendFileSync(file, id + ' ' + path.replace(process.cwd() + '/', '') + '\\n');
}`;

/** A few quick ones first, because most mutants are found by the first. */
const batches = (suites: readonly Suite[]): readonly (readonly Suite[])[] =>
  [suites.slice(0, 2), suites.slice(2, 8), suites.slice(8)].filter(batch => batch.length > 0);

const within = (seconds: number, suites: readonly Suite[]): readonly Suite[] => {
  let left = seconds;
  return suites.filter(suite => {
    left -= suite.seconds;
    return left >= 0;
  });
};

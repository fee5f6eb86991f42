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
import { importGraph, reachableFrom, readSources } from '../import-graph.ts';
import { bytesAsText, type Mutant, mutated, textAsBytes, withProbes } from './mutants.ts';
import { Suites } from './suites.ts';

/** `hung`: the tests did not end, which also finds it. */
export type Outcome = 'found' | 'hung' | 'survived';

/** A suite, and how long it takes. */
interface Suite {
  readonly path: string;
  readonly seconds: number;
  readonly passed: boolean;
}

/** The most seconds of other suites for one mutant. */
const maxSeconds = 60;
const surveySeconds = 3_600;
const built = ['dist', 'lib/generated'];
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
  /** The suites of which one found a mutant. */
  readonly #finders = new Map<Mutant, readonly string[]>();
  readonly #suites: Suites;
  readonly #types = new API({ cwd: this.#folder });
  /** Which files of lib import each file, for its types too. */
  readonly #importers: ReadonlyMap<string, readonly string[]>;
  #isBuilt = true;
  #child: ChildProcess | undefined;

  constructor(checkout: string) {
    for (const path of linesOf(checkout, 'git', 'ls-files', '-co', '--exclude-standard'))
      if (existsSync(join(checkout, path))) cpSync(join(checkout, path), join(this.#folder, path));
    for (const path of built)
      for (const copy of [path, join('kept', path)])
        cpSync(join(checkout, path), join(this.#folder, copy), { recursive: true });
    for (const path of ['node_modules', 'test/support/dynoxide/node_modules'].map(one => join(checkout, one)))
      if (existsSync(path)) symlinkSync(realpathSync(path), join(this.#folder, relative(checkout, path)));
    const paths = linesOf(this.#folder, 'node_modules/.bin/jest', '--listTests');
    this.#suites = new Suites(
      checkout,
      paths.map(path => relative(this.#folder, path)),
    );
    const graph = [...importGraph(readSources(checkout, ['lib']), { types: true })];
    this.#importers = new Map(
      graph.map(([file]) => [file, graph.flatMap(([from, to]) => (to.includes(file) ? [from] : []))]),
    );
  }

  /** Ends what still runs. */
  close(): void {
    this.#types.close();
    if (this.#child) endGroup(this.#child);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Whether a mutant compiles, and everything of lib that imports its file, or one that does. */
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
    const isRight = [...reachableFrom(this.#importers, file).keys()].every(
      one => program.getSemanticDiagnostics(join(this.#folder, one)).length === 0,
    );
    const isParsed = program.getSyntacticDiagnostics(path).length === 0;
    snapshot.dispose();
    return isParsed && isRight;
  }

  /**
   * All other suites that reach each mutant, the quickest first, for at most a minute. To find them out, all suites run once with a
   * note at the place of each mutant.
   */
  async others(mutants: readonly Mutant[]): Promise<ReadonlyMap<Mutant, readonly string[]>> {
    const files = [...new Set(mutants.map(({ file }) => file))];
    const originals = files.map(file => [file, this.#read(file)] as const);
    for (const [file, text] of originals) {
      const places = new Map([...mutants.entries()].filter(([, mutant]) => mutant.file === file));
      this.#write(file, withProbes(text, places, probe));
    }
    writeFileSync(this.#seen, '');
    if (!this.#build()) throw new Error('The instrumented checkout cannot be built.');
    const inProcess = this.#suites.all.filter(path => !this.#suites.ofBuild.has(path));
    const suites = [...(await this.#measured(inProcess))];
    for (const path of this.#suites.ofBuild)
      suites.push(...(await this.#measured([path], { [suiteVariable]: path })));
    for (const [file, text] of originals) this.#write(file, text);
    this.#restoreBuild();
    const lines = new Set(readFileSync(this.#seen, 'utf8').split('\n'));
    suites.sort((one, other) => one.seconds - other.seconds);
    return new Map(
      mutants.map((mutant, id) => {
        const tried = this.#suites.near(mutant);
        const left = suites.filter(({ path }) => lines.has(`${id} ${path}`) && !tried.includes(path));
        return [mutant, within(maxSeconds, left).map(({ path }) => path)];
      }),
    );
  }

  /** Plants a mutant, and runs the suites near it until one fails. */
  tryNear(mutant: Mutant): Promise<Outcome> {
    return this.#planted(mutant, () => this.#outcome(mutant, this.#suites.near(mutant)));
  }

  /** Plants a mutant, in the build too, and runs suites until one fails. */
  tryOn(mutant: Mutant, suites: readonly string[]): Promise<Outcome> {
    return this.#planted(mutant, async () =>
      suites.some(path => this.#suites.ofBuild.has(path)) && !this.#build()
        ? 'found'
        : this.#outcome(mutant, suites),
    );
  }

  async #planted(mutant: Mutant, run: () => Promise<Outcome>): Promise<Outcome> {
    const text = this.#read(mutant.file);
    this.#write(mutant.file, mutated(text, mutant));
    try {
      return await run();
    } finally {
      this.#write(mutant.file, text);
      if (!this.#isBuilt) this.#restoreBuild();
    }
  }

  async #outcome(mutant: Mutant, suites: readonly string[]): Promise<Outcome> {
    for (const batch of [suites.slice(0, 2), suites.slice(2, 6), suites.slice(6)]) {
      if (batch.length === 0) continue;
      const status = await this.#run('jest', ['-i', '--bail', '--runTestsByPath', ...batch], {
        seconds: 60 + 60 * batch.length,
      });
      if (status === 0) continue;
      this.#finders.set(mutant, batch);
      return status === undefined ? 'hung' : 'found';
    }
    return 'survived';
  }

  /** The mutants that were found by suites that fail without a mutant, too: nothing is known about them. */
  async doubtful(): Promise<readonly Mutant[]> {
    const used = [...new Set([...this.#finders.values()].flat())];
    const failing = (await this.#measured(used)).filter(({ passed }) => !passed).map(({ path }) => path);
    return [...this.#finders]
      .filter(([, batch]) => failing.some(path => batch.includes(path)))
      .map(([mutant]) => mutant);
  }

  /** Runs suites to their ends. */
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
      seconds: (endTime - startTime) / 1000,
      passed: status === 'passed',
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

const within = (seconds: number, suites: readonly Suite[]): readonly Suite[] => {
  let left = seconds;
  return suites.filter(suite => {
    left -= suite.seconds;
    return left >= 0;
  });
};

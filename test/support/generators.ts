import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { outputOf } from './service-process.ts';

/** Installed apart (`test/support/generators/install.sh`): nothing else needs these packages. */
const folder = resolve('test/support/generators');
const python = join(folder, '.python');
const libraries = join(folder, '.java');
const goGenerator = join(folder, '.go/oapi-codegen');

const howToInstall = '(test/support/generators/install.sh)';

/** Why generators from npm cannot run here; undefined if they can. */
export const npmLacks = (): string | undefined =>
  existsSync(join(folder, 'node_modules/.package-lock.json'))
    ? undefined
    : `the generators from npm are not installed ${howToInstall}`;

/** The same for generators from Python's registry. */
export const pythonLacks = (): string | undefined =>
  existsSync(join(python, 'bin/openapi-python-client'))
    ? undefined
    : `the Python generators are not installed ${howToInstall}`;

/** The same for the Go generator, and for compiling what it makes. */
export const goLacks = (): string | undefined =>
  existsSync(goGenerator) ? undefined : `the Go generator is not installed ${howToInstall}`;

const hasJava = (): boolean => spawnSync('javac', ['--version']).status === 0;

/** The same for OpenAPI Generator, which is a Java program in a Python package. */
export const openApiGeneratorLacks = (): string | undefined =>
  pythonLacks() ?? (hasJava() ? undefined : 'there is no Java development kit here');

/** The same for compiling its Java clients. */
export const javaLacks = (): string | undefined =>
  openApiGeneratorLacks() ??
  (existsSync(libraries) ? undefined : `the Java libraries are not installed ${howToInstall}`);

/** The same for compiling its C# client, whose libraries the compiler fetches itself. */
export const dotnetLacks = (): string | undefined =>
  openApiGeneratorLacks() ??
  (spawnSync('dotnet', ['--version']).status === 0
    ? undefined
    : 'there is no .NET development kit here');

/** A folder in which code is generated, compiled and run. */
export interface Workshop {
  readonly path: string;
  /** Puts one of the hand-written programs beside the generated code. */
  add(client: string): void;
  /**
   * Runs a program of the generators.
   *
   * @returns what it printed
   * @throws Error when it fails
   */
  run(program: readonly string[], variables?: Readonly<Record<string, string>>): Promise<string>;
  /** Checks TypeScript code; responds with the compiler's complaints, none if it is right. */
  compile(...files: readonly string[]): Promise<string>;
  remove(): void;
}

/** The commands of the generators. */
export const commands = {
  openapiTypescript: join(folder, 'node_modules/.bin/openapi-typescript'),
  heyApi: join(folder, 'node_modules/.bin/openapi-ts'),
  models: join(folder, 'models.mjs'),
  oapiCodegen: goGenerator,
  redocly: join(folder, 'node_modules/.bin/redocly'),
  spectral: join(folder, 'node_modules/.bin/spectral'),
  openapiPythonClient: join(python, 'bin/openapi-python-client'),
  openApiGenerator: join(python, 'bin/openapi-generator-cli'),
  python: join(python, 'bin/python'),
  tsx: resolve('node_modules/.bin/tsx'),
} as const;

/** What Java finds classes in, beside those of the workshop. */
export const classPath = (...folders: readonly string[]): string =>
  [...folders, join(libraries, '*')].join(':');

const compilerOptions = [
  ...['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck'],
  ...['--target', 'es2023', '--lib', 'es2023,dom', '--types', 'node'],
  ...['--module', 'preserve', '--moduleResolution', 'bundler'],
];

/** The generated code imports packages of the generators' folder: the workshop is inside it. */
export const openWorkshop = (): Workshop => {
  const path = mkdtempSync(join(folder, '.run-'));
  const env = {
    ...process.env,
    PATH: `${join(python, 'bin')}:${process.env['PATH']}`,
    PYTHONPATH: path,
    PYTHONDONTWRITEBYTECODE: '1',
    // Programs of a few seconds: to compile them well takes longer than to run them.
    JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC',
  };
  return {
    path,
    add: client => cpSync(join(folder, 'clients', client), join(path, basename(client))),
    async run([program = '', ...args], variables = {}) {
      const { code, output } = await outputOf(program, args, {
        cwd: path,
        env: { ...env, ...variables },
      });
      if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed (${code}):\n${output}`);
      return output;
    },
    async compile(...files) {
      const tsc = resolve('node_modules/.bin/tsc');
      return (await outputOf(tsc, [...compilerOptions, ...files], { cwd: path, env })).output;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
};

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { temporaryFolder } from '../support/service-process.ts';
import { testUnless } from '../support/where.ts';

const npm = (folder: string, ...args: readonly string[]) =>
  spawnSync('npm', [...args, '--no-audit', '--no-fund', '--fetch-retries=0'], {
    cwd: folder,
    encoding: 'utf8',
  });

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

const packedIn = (stdout: string): Packed => JSON.parse(stdout)[0];

/** The relative links of a page, without their fragments and those in code. */
const linksIn = (page: string): readonly string[] =>
  [
    ...readFileSync(page, 'utf8')
      .replaceAll(/^```.*?^```/gms, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ]
    .map(([, link = '']) => link.replace(/#.*/, ''))
    .filter(link => link !== '' && !/^[a-z]+:/.test(link));

/** Who changes som-bus has its sources beside these pages. */
const isForContributors = (page: string): boolean =>
  page === 'docs/architecture.md' || page.startsWith('docs/decisions/');

const folder = temporaryFolder();
let packed: Packed;
beforeAll(() => {
  // The build is there: the tests run after it.
  const options = ['--ignore-scripts', '--json', '--pack-destination', folder.path];
  packed = packedIn(npm('.', 'pack', ...options).stdout);
});
afterAll(() => folder.remove());

test('the links of the packed pages lead to what is packed', () => {
  const files = packed.files.map(({ path }) => path);
  const pages = files.filter(path => path.endsWith('.md'));
  expect(pages.length).toBeGreaterThan(70);
  const broken = pages.flatMap(page =>
    linksIn(page)
      .map(link => join(dirname(page), link))
      .filter(
        target =>
          !files.some(path => path === target || path.startsWith(`${target.replace(/\/$/, '')}/`)),
      )
      .filter(target => !(isForContributors(page) && existsSync(target)))
      .map(target => `${page} leads to ${target}`),
  );
  expect(broken).toEqual([]);
});

/** Whether npm can fetch the one package that ours needs. */
const isRegistryThere = npm('.', 'view', 'libsql@0.5.29', 'version').status === 0;
const notice = isRegistryThere ? '' : '[skipped: npm reaches no registry] ';

const bytesIn = (path: string): number => {
  const entry = lstatSync(path);
  if (!entry.isDirectory()) return entry.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
};

const pythonLacks =
  spawnSync('python3', ['-m', 'pip', '--version']).status === 0
    ? undefined
    : 'there is no pip here';

(isRegistryThere ? describe : describe.skip)(
  `${notice}the packed package in an empty folder`,
  () => {
    const project = join(folder.path, 'project');
    const run = (program: string, ...args: readonly string[]) =>
      spawnSync(program, args, { cwd: project, encoding: 'utf8' });
    const node = (name: string, ...lines: readonly string[]) => {
      writeFileSync(join(project, name), lines.join('\n'));
      return run(process.execPath, name);
    };

    beforeAll(() => {
      mkdirSync(project);
      const installed = npm(project, 'install', join(folder.path, packed.filename));
      expect([installed.status, installed.stderr]).toEqual([
        0,
        expect.not.stringContaining('install-scripts'),
      ]);
    });

    test('runs nothing when it is installed, so that npm warns of nothing', () => {
      const manifest = readFileSync(join(project, 'node_modules/som-bus/package.json'), 'utf8');
      const scripts = Object.keys(JSON.parse(manifest).scripts);
      expect(scripts).toContain('start');
      for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
        expect(scripts).not.toContain(name);
    });

    test('has no more than it needs: 45 MB with all that it depends on', () => {
      const names = readdirSync(join(project, 'node_modules')).filter(
        name => !name.startsWith('.'),
      );
      expect(names.sort()).toEqual(['@libsql', '@neon-rs', 'detect-libc', 'libsql', 'som-bus']);
      expect(bytesIn(join(project, 'node_modules'))).toBeLessThan(45_000_000);
    });

    test('needs nothing but Node (an empty home, no global packages, no variables), under both of its names', () => {
      const home = join(folder.path, 'home');
      mkdirSync(home);
      writeFileSync(
        join(project, 'ci.mjs'),
        'console.log((await fetch(process.env.SOMBUS_BASE_URL + "health")).status)',
      );
      npm(project, 'pkg', 'set', 'scripts.test=node ci.mjs');
      const env = { HOME: home, CI: 'true', PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
      for (const name of ['som-bus', 'sombus']) {
        const steps = `npx --no -- ${name} exec -- npm --silent test`;
        const { status, stdout } = spawnSync('bash', ['-euc', steps], {
          cwd: project,
          encoding: 'utf8',
          env,
        });
        expect([status, stdout]).toEqual([0, '200\n']);
      }
    });

    const use = `
    const options = { baseUrl: 'https://bus.example/v1', workspace: 'w', clientId: 'c', clientSecret: 's' };
    console.log(typeof connect(options).publish, new NoResponse('https://bus.example/v1', 2).message);`;
    const printed = 'function https://bus.example gave no response in 2 attempts.\n';

    test.each(['som-bus', 'som-bus/client'])('can be imported and required as %s', name => {
      for (const [file, head] of [
        ['use.mjs', `import { connect, NoResponse } from '${name}';`],
        ['use.cjs', `const { connect, NoResponse } = require('${name}');`],
      ] as const) {
        const { stdout, stderr } = node(file, head, use);
        expect([file, stdout, stderr]).toEqual([file, printed, '']);
      }
    });

    testUnless(pythonLacks, 'brings the Python client', async () => {
      const client = 'node_modules/som-bus/clients/python';
      const wheel = ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '-w', 'wheels', client];
      const { status, stderr } = run('python3', ...wheel);
      expect([status, stderr]).toEqual([0, expect.any(String)]);
      expect(readdirSync(join(project, 'wheels'))).toEqual(['som_bus-0.1.0-py3-none-any.whl']);
    });

    const aTest = `
    const bus = await startBus();
    const [producer, consumer] = [await bus.producer(), await bus.consumer()];
    await producer.publish(producer.compose({ message_type: 'asset.ingested', payload: { asset_id: 'clip-1' } }));
    const { message } = await bus.expect(consumer, { payload: { asset_id: 'clip-1' } }, { within: '1m' });
    console.log(message.message_type);
    await bus.close();`;

    test.each([
      ['imported', 'test.mjs', "import { startBus } from 'som-bus/testing';", aTest],
      [
        'required',
        'test.cjs',
        "const { startBus } = require('som-bus/testing');",
        `void (async () => {${aTest}})();`,
      ],
    ])('has a bus for tests that can be %s', (_title, name, ...lines) => {
      const { stdout, stderr } = node(name, ...lines);
      expect([stdout, stderr]).toEqual(['asset.ingested\n', '']);
    });

    const scripts = ['README.md', 'docs/guides/testing.md', 'docs/guides/client.md'].flatMap(page =>
      [...readFileSync(page, 'utf8').matchAll(/^```js\n(.*?)^```$/gms)].map(
        ([, text = '']) => [page, text] as const,
      ),
    );

    test.each(scripts)('does what %s shows', (page, text) => {
      // In a test, no machine is too slow.
      writeFileSync(join(project, 'shown.mjs'), text.replaceAll("'5s'", "'10m'"));
      const { status, stderr } = run('npx', '--no', 'som-bus', 'exec', '--', 'node', 'shown.mjs');
      expect([page, status, stderr.replaceAll(/^npm warn.*\n/gm, '')]).toEqual([page, 0, '']);
    });

    describe('runs the examples', () => {
      const inProject = (name: string) => {
        const text = readFileSync(`examples/testing/${name}`, 'utf8');
        writeFileSync(join(project, name), text);
        return name;
      };

      test('for jest', () => {
        const jest = resolve('node_modules/jest/bin/jest.js');
        const story = inProject('story.test.cjs');
        const { status, stderr } = run(process.execPath, jest, '--rootDir', project, story);
        expect([status, stderr]).toEqual([0, expect.stringContaining('2 passed')]);
      });

      test('for node:test', () => {
        const { status, stdout } = run(process.execPath, '--test', inProject('story.test.mjs'));
        expect([status, stdout]).toEqual([0, expect.stringContaining('pass 2')]);
      });

      test('for vitest', () => {
        const installed = npm(project, 'install', '--no-save', '--ignore-scripts', 'vitest@4.1.12');
        expect(installed.status).toBe(0);
        const { status, stdout } = run('npx', '--no', 'vitest', 'run', inProject('story.spec.ts'));
        expect([status, stdout]).toEqual([0, expect.stringContaining('1 passed')]);
      });
    });

    test('exports nothing else', () => {
      expect(node('inside.cjs', "require('som-bus/dist/main.js')").stderr).toContain(
        'ERR_PACKAGE_PATH_NOT_EXPORTED',
      );
    });

    const program = `
    import { connect, fromEnvironment, type SomMessage, type Verdict } from 'som-bus/client';
    import { type Faults, startBus, type TestBus } from 'som-bus/testing';
    const faults: Faults = { delay: '5s', refuse: { status: 503 } };
    export const start = async (): Promise<TestBus> => {
      const bus = await startBus({ connections: 'newsroom.yaml' });
      bus.faults(await bus.consumer(), faults);
      await bus.clock.advance('7d');
      return bus;
    };
    const bus = connect({ ...fromEnvironment({}), system: { system_id: 'desk', system_type: 'ncs' } });
    const message: SomMessage = bus.compose({
      message_type: 'asset.ingested',
      payload: { anything: true },
    });
    export const told = async (): Promise<number> => {
      const verdict: Verdict = await bus.publish(message);
      return verdict.outcome === 'refused' ? verdict.status : 0;
    };
    export const wrong = () =>
      // @ts-expect-error: a text is no number
      bus.compose({ message_type: 'story.context', payload: { story_id: 's', slug: 's', headline: 'h', story_type: 'PLANNED', sequence_number: '1', updated_at: 't' } });`;

    test.each([
      ['an ES module', 'mts', 'nodenext'],
      ['CommonJS', 'cts', 'nodenext'],
      ['what a bundler reads', 'ts', 'preserve'],
    ])('has types for %s', (_title, suffix, module) => {
      writeFileSync(join(project, `program.${suffix}`), program);
      const options = [
        '--ignoreConfig',
        '--noEmit',
        '--strict',
        '--module',
        module,
        '--target',
        'es2022',
      ];
      const tsc = [
        resolve('node_modules/typescript/bin/tsc'),
        ...options,
        '--lib',
        'es2022,dom',
        '--types',
        '',
      ];
      const { stdout } = run(process.execPath, ...tsc, `program.${suffix}`);
      expect(stdout).toBe('');
    });

    test('has types for the resolution of TypeScript before 4.7, which reads no exports', () => {
      const installed = npm(
        project,
        'install',
        '--no-save',
        '--ignore-scripts',
        'typescript@5.9.3',
      );
      expect(installed.status).toBe(0);
      writeFileSync(
        join(project, 'old.ts'),
        `${program}\n    export { uuidv7, type Uuid } from 'som-bus';`,
      );
      const options = [
        '--noEmit',
        '--strict',
        '--module',
        'commonjs',
        '--moduleResolution',
        'node10',
      ];
      const tsc = ['node_modules/typescript/bin/tsc', ...options, '--target', 'es2022', 'old.ts'];
      const { stdout } = run(process.execPath, ...tsc);
      expect(stdout).toBe('');
    });

    test('hands on the licences of all that is inside', () => {
      const licenses = readFileSync(
        join(project, 'node_modules/som-bus/dist/third-party-licenses.txt'),
        'utf8',
      );
      for (const name of ['commander', 'jose', 'yaml', '@aws-sdk/client-sqs', '@smithy/core'])
        expect(licenses).toContain(`${name}@`);
    });
  },
);

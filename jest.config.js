const { readdirSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const { join } = require('node:path');

/**
 * Folders of `test` whose suites start services, browsers or other programs, synthesise stacks, or
 * play whole days, runs and worlds.
 */
const service = [
  ...['checks', 'cli', 'docs', 'e2e', 'examples', 'infra', 'kit/newsroom', 'local', 'portal'],
  ...['programs', 'simulation', 'web'],
];
/** Folders within those whose suites do none of that. */
const fastWithin = ['local/engines', 'portal/alerts', 'portal/descriptions'];
const others = readdirSync(join(__dirname, 'test'), { withFileTypes: true })
  .filter(entry => entry.isDirectory() && ![...service, 'long'].includes(entry.name))
  .map(({ name }) => name);

/**
 * Suites of some folders of `test`, except for others within them, by a name for
 * `--selectProjects`.
 */
const project = (displayName, folders, except = []) => ({
  displayName,
  roots: folders.map(folder => `<rootDir>/test/${folder}`),
  testPathIgnorePatterns: ['/node_modules/', ...except.map(folder => `<rootDir>/test/${folder}/`)],
  testEnvironment: 'node',
  testMatch: ['**/*.test.ts'],
  transform: {
    '^.+\\.[mc]?[jt]s$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } },
    ],
  },
  // These publish ES modules only; jest runs CommonJS.
  transformIgnorePatterns: ['/node_modules/(?!(?:jose|openid-client|oauth4webapi)/)'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/cdk.out/'],
  setupFilesAfterEnv: ['<rootDir>/test/support/has-assertions.cjs'],
  globalSetup: '<rootDir>/test/support/make-run-folder.cjs',
  globalTeardown: '<rootDir>/test/support/remove-run-folder.cjs',
});

/** @type {import('jest').Config} */
module.exports = {
  projects: [
    project(
      'fast',
      [...others, ...fastWithin],
      service.filter(folder => folder.includes('/')),
    ),
    project('service', service, fastWithin),
    // Campaigns, long walks through the portal's pages, and what needs programs that few machines
    // have.
    project('long', ['long']),
  ],
  // `npm run test:coverage`. V8's provider takes more than twice as long as this one, which rewrites
  // the code.
  collectCoverageFrom: ['lib/**/*.ts', '!lib/generated/**'],
  coverageProvider: 'babel',
  coverageReporters: ['text-summary', 'lcov'],
  testSequencer: '<rootDir>/test/support/slow-first.cjs',
  // The only limit of time there is: for what hangs, not for what is slow.
  testTimeout: 600_000,
  // Suites wait for browsers and other programs for a third of their time: one more than there are
  // cores makes use of it.
  maxWorkers: availableParallelism() + 1,
};

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  transform: {
    '^.+\\.[mc]?[jt]s$': ['@swc/jest', { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } }],
  },
  // These publish ES modules only; jest runs CommonJS.
  transformIgnorePatterns: ['/node_modules/(?!(?:jose|openid-client|oauth4webapi)/)'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/cdk.out/'],
  testSequencer: '<rootDir>/test/support/slow-first.cjs',
  globalSetup: '<rootDir>/test/support/make-run-folder.cjs',
  globalTeardown: '<rootDir>/test/support/remove-run-folder.cjs',
  // The only limit of time there is: for what hangs, not for what is slow.
  testTimeout: 1_200_000,
  // jest's default leaves a core free: on two cores that would be half of them.
  maxWorkers: '100%',
};

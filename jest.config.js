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
  testTimeout: 30_000,
  maxWorkers: 2,
};

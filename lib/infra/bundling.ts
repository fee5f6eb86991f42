import { type BundlingOptions, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';

/**
 * Where the SDK looks for credentials after a function's own, which are always there: never reached, and a seventh of a
 * bundle. Were they ever reached, the runtime's copies would answer.
 */
const unreachedCredentialSources = [
  '@aws-sdk/credential-provider-cognito-identity',
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-login',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@smithy/credential-provider-imds',
];

/**
 * How every function is bundled: with its own SDK clients, which start faster than the runtime's and are the tested
 * version; as CommonJS from ES modules, which starts faster than either alone (`test/infra/bundles.test.ts` measures).
 */
export const bundling = {
  externalModules: unreachedCredentialSources,
  format: OutputFormat.CJS,
  mainFields: ['module', 'main'],
  minify: true,
  target: 'node24',
} satisfies BundlingOptions;

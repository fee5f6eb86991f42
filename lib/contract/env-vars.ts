/** Environment variables of the functions. Infrastructure writes them, `lambdas/wiring.ts` reads them. */
export const envVars = {
  /** `sandbox` or `preview`. */
  environment: 'SOMBUS_ENVIRONMENT',
  /** The bus's origin, without a path: `aud` of its tokens; `<origin>/v1/oauth` is their `iss`. */
  origin: 'SOMBUS_ORIGIN',
  registryTable: 'SOMBUS_REGISTRY_TABLE',
  ledgerTable: 'SOMBUS_LEDGER_TABLE',
  /** KMS key id or alias that signs access tokens. */
  signingKey: 'SOMBUS_SIGNING_KEY',
  /** What stands before a queue's name in its URL, with the closing slash. */
  queueBaseUrl: 'SOMBUS_QUEUE_BASE_URL',
  /** What stands before a queue's name in its ARN, with the closing colon. */
  queueBaseArn: 'SOMBUS_QUEUE_BASE_ARN',
  /** `true` in the local service alone: it may fetch key sets from this machine. Deployments never set it. */
  localService: 'SOMBUS_LOCAL_SERVICE',
} as const;

export type EnvVar = (typeof envVars)[keyof typeof envVars];

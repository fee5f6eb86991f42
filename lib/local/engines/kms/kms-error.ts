import { AwsError } from '../aws-json/aws-error.ts';

/** KMS's errors as the AWS SDKs' service model names them; all are answered with 400. */
export type KmsErrorName =
  | 'AlreadyExistsException'
  | 'DisabledException'
  | 'InvalidAliasNameException'
  | 'InvalidKeyUsageException'
  | 'InvalidMarkerException'
  | 'KMSInvalidSignatureException'
  | 'KMSInvalidStateException'
  | 'NotFoundException'
  | 'UnsupportedOperationException'
  | 'ValidationException';

export const kmsError = (name: KmsErrorName, message: string): AwsError =>
  new AwsError({ type: name, status: 400 }, message);

export function requiredMember<T>(value: T | undefined, member: string): T {
  if (value !== undefined) return value;
  const constraint = 'failed to satisfy constraint: Member must not be null';
  throw kmsError(
    'ValidationException',
    `1 validation error detected: Value null at '${member}' ${constraint}`,
  );
}

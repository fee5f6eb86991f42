import { errorMessage } from '../local/engines/error-message.ts';

const awsSetup = 'Set AWS_PROFILE or the AWS_ variables, and AWS_REGION.';

/** The AWS SDK's faults where this shell has no credentials or no region. */
const isAwsSetup = ({ name, message }: Error): boolean =>
  name === 'CredentialsProviderError' || message === 'Region is missing';

/** What a failed command says: one sentence of the fault, and what to do where that is known. */
export const wordsOf = (fault: unknown): string =>
  fault instanceof Error && isAwsSetup(fault)
    ? `${fault.message.replace(/\.$/, '')}. ${awsSetup}`
    : errorMessage(fault);

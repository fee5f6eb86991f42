import {
  PolicyDocument,
  PolicyStatement,
  type PolicyStatementProps,
  Role,
  type RoleProps,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

interface ServiceRoleProps extends Pick<RoleProps, 'roleName'> {
  /** What assumes it: the name before `.amazonaws.com`. */
  readonly service: string;
  /** Of its one policy. */
  readonly policyName: string;
  readonly allowed: readonly PolicyStatementProps[];
  /** The account that the service has to act for. */
  readonly sourceAccount?: string;
}

/** A role of one of AWS's services, which may do these things and nothing else. */
export const serviceRole = (
  scope: Construct,
  id: string,
  { service, policyName, allowed, sourceAccount, ...props }: ServiceRoleProps,
): Role =>
  new Role(scope, id, {
    ...props,
    assumedBy: new ServicePrincipal(`${service}.amazonaws.com`, {
      ...(sourceAccount && {
        conditions: { StringEquals: { 'aws:SourceAccount': sourceAccount } },
      }),
    }),
    inlinePolicies: {
      [policyName]: new PolicyDocument({
        statements: allowed.map(one => new PolicyStatement(one)),
      }),
    },
  });

// What the emulator does not know is taken out of a copy of the templates. This list only shrinks.

export interface TemplatePart {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

interface LeftOut {
  readonly type: string;
  /** Which resources of the type; absent: all. */
  readonly where?: (part: TemplatePart) => boolean;
  readonly why: string;
  /** What shows instead that it is right. */
  readonly testedBy: string;
}

export const leftOut: readonly LeftOut[] = [
  {
    type: 'AWS::CodeDeploy::Application',
    why: 'the emulator moves no traffic step by step',
    testedBy: 'test/infra/release.test.ts',
  },
  {
    type: 'AWS::CodeDeploy::DeploymentGroup',
    why: 'the emulator moves no traffic step by step',
    testedBy: 'test/infra/release.test.ts',
  },
  {
    type: 'AWS::Cognito::ManagedLoginBranding',
    why: 'the emulator has a login page of its own',
    testedBy: 'test/infra/people.test.ts',
  },
  {
    type: 'AWS::WAFv2::WebACLAssociation',
    why: 'the emulator filters no requests',
    testedBy: 'test/infra/firewall.test.ts',
  },
  {
    type: 'AWS::WAFv2::LoggingConfiguration',
    why: 'the emulator filters no requests',
    testedBy: 'test/infra/firewall.test.ts',
  },
  {
    type: 'AWS::XRay::SamplingRule',
    why: 'the emulator records no traces',
    testedBy: 'test/infra/functions.test.ts',
  },
  {
    type: 'AWS::CloudWatch::Alarm',
    where: ({ Properties = {} }) => 'Metrics' in Properties,
    why: 'the emulator does not add metrics up',
    testedBy: 'test/infra/watch.test.ts',
  },
];

export const isLeftOut = (part: TemplatePart): boolean =>
  leftOut.some(({ type, where = () => true }) => type === part.Type && where(part));

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { account, environment, region, root } from './tools.ts';

/** Somebody's credentials. */
export interface Keys {
  readonly AWS_ACCESS_KEY_ID: string;
  readonly AWS_SECRET_ACCESS_KEY: string;
  readonly AWS_SESSION_TOKEN?: string;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * What the runbook's commands mean here: `npx cdk` works on the assembly that was made for the
 * emulator, and nobody is there to be asked.
 */
const prelude = `
sombus() { node "${join(root, 'dist/sombus.js')}" "$@"; }
cdk() {
  local command=$1 more=()
  shift
  [ "$command" = deploy ] && more=(--require-approval never --outputs-file "$OUTPUTS")
  node "${join(root, 'node_modules/aws-cdk/bin/cdk')}" "$command" --app "$ASSEMBLY" "\${more[@]}" "$@"
}
npx() {
  case $1 in
    cdk) shift; cdk "$@" ;;
    --no) shift 2; sombus "$@" ;;
    *) echo "npx $1 is not known here" >&2; return 1 ;;
  esac
}
`;

export interface Place {
  /** An assembly of the CDK. */
  readonly assembly: string;
  readonly outputs: string;
  /** With \`cdk.json\` and \`docs\`, as the folder of som-bus has them. */
  readonly folder: string;
  readonly account?: string;
  readonly region?: string;
}

/** A shell as an operator has it, at the emulator. */
export const shellAt =
  (place: Place, env: NodeJS.ProcessEnv) =>
  (keys: Keys, commands: string, more: NodeJS.ProcessEnv = {}): Promise<Ran> =>
    new Promise(resolve => {
      const shellRegion = place.region ?? region;
      const variables = {
        ...env,
        ...keys,
        ENV: environment,
        ACCOUNT: place.account ?? account,
        AWS_REGION: shellRegion,
        AWS_DEFAULT_REGION: shellRegion,
        AWS_PAGER: '',
        ASSEMBLY: place.assembly,
        OUTPUTS: place.outputs,
        CDK_DISABLE_CLI_TELEMETRY: '1',
        CI: 'true',
        ...more,
      };
      const bash = ['-c', `set -eo pipefail\n${prelude}\n${commands}`];
      const options = { cwd: place.folder, env: variables, maxBuffer: 32 * 1024 * 1024 };
      execFile('bash', bash, options, (error, out, err) => {
        const code = error === null ? 0 : Number(error.code ?? 1);
        resolve({ code, out, err });
      });
    });

export type Shell = ReturnType<typeof shellAt>;

/** What commands print. @throws Error if they fail */
export const printed = async (running: Promise<Ran>): Promise<string> => {
  const { code, out, err } = await running;
  if (code !== 0) throw new Error(`It ended with ${code}: ${(err || out).trim().slice(-1_500)}`);
  return out.trim();
};

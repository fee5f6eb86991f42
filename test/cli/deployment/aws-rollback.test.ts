import { planRollback, type Released } from '../../../lib/cli/deployment/aws-rollback.ts';
import { sombusWith } from '../../support/commands.ts';
import { json, type Reply, scriptedServer } from '../../support/scripted-server.ts';

const release = (day: number, publish: string, pull: string): Released => ({
  at: `2026-11-2${day}T09:00:00.000Z`,
  versions: { publish, pull },
});
const releases = [
  release(0, '4', '2'),
  release(1, '5', '2'),
  release(2, '6', '3'),
  release(3, '6', '3'),
];

describe('a rollback', () => {
  it('goes on to the release before that when it is repeated', () => {
    expect(planRollback(releases, { publish: '5', pull: '2' })).toEqual({
      to: releases[0],
      moves: [{ name: 'publish', from: '5', to: '4' }],
    });
  });

  it.each([
    [
      'the second function moved',
      { publish: '6', pull: '2' },
      { name: 'publish', from: '6', to: '5' },
    ],
  ])('that failed in the middle goes on to the same release: only %s', (_what, serving, move) => {
    expect(planRollback(releases, serving)).toEqual({ to: releases[1], moves: [move] });
  });

  it.each([
    ['before the first release', releases.slice(0, 1), { publish: '4', pull: '2' }],
    ['of versions that no release had', releases, { publish: '9', pull: '9' }],
    ['of nothing', [], {}],
  ])('is none: %s', (_what, known, serving) => {
    expect(planRollback(known, serving)).toBeUndefined();
  });
});

describe('sombus aws rollback', () => {
  /** Responses as Systems Manager and Lambda document them. */
  const history = json(200, {
    Parameters: releases.map(({ at, versions }) => ({
      Value: JSON.stringify(versions),
      LastModifiedDate: Date.parse(at) / 1000,
    })),
  });
  const alias = (FunctionVersion: string, more: object = {}) =>
    json(200, { FunctionVersion, ...more });
  const found = json(200, {});
  const gone = json(
    404,
    { Type: 'User', Message: 'no' },
    { 'x-amzn-errortype': 'ResourceNotFoundException' },
  );

  const rollback = async (
    args: readonly string[],
    replies: Readonly<Record<string, readonly Reply[]>> = {},
  ) => {
    const aws = await scriptedServer({
      '-publish/aliases/live': [alias('6')],
      '-pull/aliases/live': [alias('3')],
      '/configuration': [found],
      '/': [history],
      ...replies,
    });
    const endpoint = new URL(aws.baseUrl).origin;
    const variables = {
      AWS_REGION: 'eu-west-1',
      AWS_ENDPOINT_URL_SSM: endpoint,
      AWS_ENDPOINT_URL_LAMBDA: endpoint,
    };
    const command = ['aws', 'rollback', '--environment', 'preview', '--json', ...args];
    const { code, stdout: printed, stderr: error } = await sombusWith(variables, ...command);
    await aws.close();
    const asked = aws.calls.find(({ line }) => line === '/')?.body ?? '{}';
    const moved = aws.calls.flatMap(({ line, body }) =>
      body.includes('FunctionVersion') ? [`${line} ${JSON.parse(body).FunctionVersion}`] : [],
    );
    return { code, printed, error, asked: JSON.parse(asked), moved };
  };

  it('says what it would do, and does it when that is confirmed', async () => {
    const shown = await rollback([]);
    expect([shown.code, shown.moved, shown.asked.Name]).toEqual([
      1,
      [],
      '/sombus/preview/released/bus',
    ]);
    expect(shown.error).toContain(
      'The bus would go back to the release of 2026-11-21T09:00:00.000Z:',
    );
    expect(shown.error).toContain('publish: version 6 to 5');
    const done = await rollback(['--confirm']);
    expect([done.code, done.moved]).toEqual([
      0,
      ['-publish/aliases/live 5', '-pull/aliases/live 2'],
    ]);
    expect(JSON.parse(done.printed)).toHaveLength(2);
    expect(done.error).toContain('Deploy the next release with -c atOnce=true');
  });

  it('moves nothing if a version of the release before is gone', async () => {
    const { code, error, moved } = await rollback(['--confirm'], {
      '/configuration': [found, gone],
    });
    expect([code, moved]).toEqual([1, []]);
    expect(error).toContain('is gone');
  });

  it('says which functions did not go back, and finishes when it is repeated', async () => {
    const denied = json(403, { Message: 'no' }, { 'x-amzn-errortype': 'AccessDeniedException' });
    const half = await rollback(['--confirm'], { '-pull/aliases/live': [alias('3'), denied] });
    expect([half.code, JSON.parse(half.printed)]).toEqual([
      1,
      [{ name: 'publish', from: '6', to: '5' }],
    ]);
    expect(half.error).toContain('1 of 2 functions did not go back');
    expect(half.error).toContain('pull: no');
    const rest = await rollback(['--confirm'], { '-publish/aliases/live': [alias('5')] });
    expect([rest.code, rest.moved]).toEqual([0, ['-pull/aliases/live 2']]);
  });

  it('leaves a release in progress to CodeDeploy', async () => {
    const moving = alias('5', { RoutingConfig: { AdditionalVersionWeights: { 6: 0.1 } } });
    const { code, error, moved } = await rollback(['--confirm'], {
      '-publish/aliases/live': [moving],
    });
    expect([code, moved]).toEqual([1, []]);
    expect(error).toContain('aws cloudformation cancel-update-stack');
  });
});

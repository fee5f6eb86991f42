import { createConnection } from '../../lib/access/registry/connections.ts';
import { correlationOfRun } from '../../lib/contract/identifiers.ts';
import { eventually } from '../support/eventually.ts';
import { bearer, post } from '../support/http-client.ts';
import { storyContext } from '../support/messages.ts';
import { settled } from '../support/running-registry.ts';
import { describeLooks, type PagesToLookAt } from './looks.ts';
import { choose, chooseTypes, type Visitor, type WebStage } from './portal-in-browser.ts';

export const describeRuns = ({ bus, portal }: WebStage): void => {
  let owner: Visitor;
  let consumer: string;
  let producer: string;
  let run = '';
  let watched = '';

  beforeAll(async () => {
    const nothing = { systemIds: [], grants: [], receives: [], sources: [] };
    const wanted = { ...nothing, workspace: bus.ready.workspace };
    const reads = { kind: 'consumer', app: 'Flags', receives: ['story.context'] } as const;
    const sends = { kind: 'producer', app: 'Flags out', grants: ['skill.warning.raised'] } as const;
    consumer = settled(await createConnection(bus.registry, { ...wanted, ...reads })).connection.id;
    producer = settled(await createConnection(bus.registry, { ...wanted, ...sends })).connection.id;
    owner = await portal.signedIn();
  });

  const below = (path: string) => `/workspaces/${bus.ready.workspace}/runs${path}`;

  const start = async ({ page, open }: Visitor): Promise<void> => {
    await open(below(`/${consumer}`));
    await choose(page, 'Test it as', /^an executor/);
    await choose(page, 'It sends with', /^Flags out/);
    await page.getByLabel('Only these cases or skills').fill('raise-flag-on-match/declares');
    await page.getByRole('button', { name: 'Start run' }).click();
    await page.getByRole('heading', { level: 2, name: 'Cases' }).waitFor();
  };

  const stop = async ({ page }: Visitor): Promise<void> => {
    await page.getByRole('button', { name: 'Stop run' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop run' }).click();
    await page.getByText('aborted', { exact: true }).waitFor();
  };

  test('a run is started, watched and stopped; its report is saved', async () => {
    const { page } = owner;
    await start(owner);
    run = page.url().split('/').at(-1) ?? '';
    await page.getByText('running', { exact: true }).waitFor();
    await stop(owner);
    await page.getByRole('button', { name: 'Other report formats' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: /^JUnit XML/ }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${run}.xml`);
  });

  test('two runs are compared', async () => {
    const { page, open } = owner;
    await start(owner);
    await stop(owner);
    await open(below(`/${consumer}`));
    await page.getByRole('link', { name: 'Compare with the previous run' }).click();
    await page.getByText('Every case has the same verdict in both.').first().waitFor();
    await choose(page, 'Compare with the run of', 'none');
    await page.getByRole('heading', { name: 'Against the run of' }).waitFor({ state: 'detached' });
    await choose(page, 'Compare with the run of', /aborted/);
    await page.getByRole('heading', { name: 'Against the run of' }).waitFor();
  });

  test('a producer is watched for the types that are asked for, and its coverage is shown', async () => {
    const { page, open } = owner;
    await open(below(`/${producer}`));
    await choose(page, 'Test it as', /^a producer/);
    await chooseTypes(page, 'Message types that it should send', ['skill.warning.raised']);
    await page.getByLabel('Time limit for a response').fill('four');
    await page.getByRole('button', { name: 'Start run' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: '"limit_seconds" has to be a number' })
      .waitFor();
    await page.getByLabel('Time limit for a response').fill('5');
    await page.getByRole('button', { name: 'Start run' }).click();
    await page
      .getByText(/Coverage of SOM 1.0: \d/)
      .first()
      .waitFor();
    watched = page.url().split('/').at(-1) ?? '';
    await page.getByText('skill library 0.2.2').waitFor();
    await page
      .getByText(/Coverage of SOM 1.0: \d/)
      .first()
      .click();
    const types = await page.locator('tbody tr td:first-child').allTextContents();
    expect(new Set(types)).toEqual(new Set(['envelope', 'skill.warning.raised']));
    await stop(owner);
  });

  test('the record of activity says which lines are about a test run, and can leave them out', async () => {
    const { page, open } = owner;
    const { base_url, producer, workspace } = bus.ready;
    const authorization = await bearer(base_url, producer);
    const fixture = { ...storyContext(), correlation_id: correlationOfRun(watched, 0) };
    for (const message of [storyContext(), fixture])
      expect((await post(`${bus.tenant}/messages`, authorization, message)).status).toBe(202);
    await open(`/workspaces/${workspace}/activity?kind=accepted`);
    const lines = page.locator('tbody tr').filter({ has: page.locator('th a') });
    await lines.nth(1).waitFor();
    const link = page.getByRole('link', { name: watched });
    expect(await link.getAttribute('href')).toBe(below(`/${producer.client_id}/${watched}`));
    await open(`/workspaces/${workspace}/activity?kind=accepted&runs=without`);
    await eventually(async () => (await link.count()) === 0 && (await lines.count()) === 1);
  });

  const pages: PagesToLookAt = {
    'all connections': () => [below(''), 'tbody th a'],
    'the runs of one': () => [below(`/${consumer}`), 'tbody th a'],
    'one run of a producer': () => [below(`/${producer}/${watched}`), 'h2:has-text("Cases")'],
    'one run': () => [below(`/${consumer}/${run}`), 'h2:has-text("Cases")'],
  };

  describeLooks(() => owner, pages);
};

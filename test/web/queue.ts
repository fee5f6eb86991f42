import { bearer, call, post } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import type { WebStage } from './portal-in-browser.ts';

interface Pulled {
  readonly message_id: string;
  readonly receipt_handle: string;
}

export const describeQueue = ({ bus, portal }: WebStage): void => {
  const consumer = () => bus.ready.consumer.client_id;
  const queue = () => `${bus.tenant}/consumers/${consumer()}`;

  const publish = async (): Promise<string> => {
    const message = linkCommitted();
    const by = await bearer(bus.base, bus.ready.producer);
    expect((await post(`${bus.tenant}/messages`, by, message)).status).toBe(202);
    return String(message['message_id']);
  };

  /** As a program that works takes its messages. */
  const take = async (max: number): Promise<readonly string[]> => {
    const authorization = await bearer(bus.base, bus.ready.consumer);
    const { body } = await call(`${queue()}/messages?max=${max}`, { headers: { authorization } });
    const pulled = body['messages'] as readonly Pulled[];
    if (pulled.length === 0) return [];
    const handles = { receipt_handles: pulled.map(one => one.receipt_handle) };
    expect((await post(`${queue()}/ack`, authorization, handles)).status).toBe(200);
    return pulled.map(one => one.message_id);
  };

  test('a dialog skips what it named when it was opened, or nothing', async () => {
    // The other parts of the file publish, too.
    while ((await take(10)).length > 0);
    const [first, second] = [await publish(), await publish()];
    const { page, leave } = await portal.signedIn(
      'owner',
      `/workspaces/${bus.ready.workspace}/queues/${consumer()}`,
    );
    await page.getByRole('button', { name: 'Skip the head' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(first).waitFor();
    expect(await take(1)).toEqual([first]);
    // The page looks at the queue again when somebody comes back to it.
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.locator(`tbody a[href$="${first}"]`).waitFor({ state: 'detached' });
    expect(await dialog.getByText(second).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Skip the head' }).click();
    await dialog.getByText(`Nothing was skipped: ${first} is not next any more.`).waitFor();
    await dialog.getByRole('button', { name: 'Show the current state' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Skip the head' }).click();
    await dialog.getByText(second).waitFor();
    expect(await dialog.getByText('Nothing was skipped').count()).toBe(0);
    await leave();
    expect(await take(10)).toEqual([second]);
  });
};

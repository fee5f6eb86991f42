import { once } from 'node:events';
import { join } from 'node:path';
import { bearer, call, post } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { type ServiceProcess, startServiceWith } from '../support/service-process.ts';
import { services } from '../support/services.ts';

const { folder, started } = services();
const preload = join(__dirname, '../support/sudden-end.cjs');

const published = async ({ ready }: ServiceProcess): Promise<number> => {
  const { base_url, workspace, producer } = ready;
  const url = `${base_url}/tenants/${workspace}/messages`;
  const { status } = await post(url, await bearer(base_url, producer), linkCommitted());
  return status;
};

const pulled = async ({ ready }: ServiceProcess): Promise<unknown> => {
  const { base_url, workspace, consumer } = ready;
  const url = `${base_url}/tenants/${workspace}/consumers/${consumer.client_id}/messages?max=10`;
  const headers = { authorization: await bearer(base_url, consumer) };
  return (await call(url, { headers })).body;
};

describe.each(['an exit', 'an error'])('after %s that nobody expected', ending => {
  test('the service starts again, with everything that it had accepted', async () => {
    const data = folder();
    const variables = { SUDDEN_END: ending, NODE_OPTIONS: `--require ${preload}` };
    const service = await startServiceWith(variables, data);
    expect([await published(service), await published(service)]).toEqual([202, 202]);
    const ended = once(service.child, 'close');
    service.child.kill('SIGUSR2');
    await ended;
    const again = await started(data);
    expect(await pulled(again)).toMatchObject({ messages: [expect.anything(), expect.anything()] });
  });
});

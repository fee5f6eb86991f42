import { healthFunction } from '../../lib/wiring/descriptions.ts';
import { lambda } from '../../lib/wiring/function.ts';
import { proxyEvent } from '../support/proxy-event.ts';

test('a line of a function names its version, by which a release knows its own errors', async () => {
  const lines: string[] = [];
  const write = jest.spyOn(process.stdout, 'write').mockImplementation(line => lines.push(String(line)) > 0);
  const env = {
    SOMBUS_ENVIRONMENT: 'sandbox',
    SOMBUS_ORIGIN: 'https://bus.example',
    AWS_LAMBDA_FUNCTION_NAME: 'sombus-sandbox-health',
    AWS_LAMBDA_FUNCTION_VERSION: '7',
  };
  await lambda(healthFunction, env)(proxyEvent({})).finally(() => write.mockRestore());
  expect(lines.map(line => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'INFO', route: 'health', version: 'health:7', status: 200 }),
  ]);
});

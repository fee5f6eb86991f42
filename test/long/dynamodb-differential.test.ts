import { compareEngines, engineLacks } from '../engines/dynamodb/differential/campaign.ts';

const lacks = Object.entries(engineLacks());
const missing = lacks.flatMap(([name, reason]) => (reason === undefined ? [] : [`${name} (${reason})`]));
const reachable = missing.length < lacks.length ? test : test.skip;
const notice = missing.length > 0 ? `; not compared: ${missing.join(', ')}` : '';

reachable(`a generated history has the same responses on every DynamoDB engine${notice}`, async () => {
  const { calls, succeeded, shortest } = await compareEngines(300, 1);
  expect(shortest).toBeUndefined();
  expect(calls).toBeGreaterThanOrEqual(300);
  expect(succeeded).toBeGreaterThan(calls / 3);
});

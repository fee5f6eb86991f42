import { runOnFaultyBus, typescriptClient } from '../campaign/faulty-bus.ts';

test('nothing is lost, reordered or accepted twice while requests are refused and responses are lost', async () => {
  const { messages, broken, twice } = await runOnFaultyBus(typescriptClient, 200, 7);
  expect({ messages, broken, twice }).toEqual({ messages: 200, broken: [], twice: 0 });
});

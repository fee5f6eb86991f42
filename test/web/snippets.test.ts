import assert from 'node:assert';
import { startBus } from '../../lib/local/testing/index.ts';
import { connectionSnippets } from '../../web/connections/snippets.ts';
import { testOf } from '../../web/message/snippets.ts';
import { linkCommitted } from '../support/messages.ts';

/** Runs a copied test in this process: what it imports is handed in. */
const run = async (copied: string, text: string): Promise<void> => {
  const after: (() => unknown)[] = [];
  const done: Promise<void>[] = [];
  const test = (_title: string, body: (t: object) => Promise<void>) => {
    done.push(body({ after: (end: () => unknown) => after.push(end) }));
  };
  const body = copied.replace(/^import .*$/gm, '');
  const outside = { assert, test, startBus, readFileSync: () => text };
  new Function(...Object.keys(outside), body)(...Object.values(outside));
  try {
    await Promise.all(done);
  } finally {
    for (const end of after) await end();
  }
};

test('the copied test of a message passes, whichever system sent it; one of a message that is refused fails', async () => {
  const originating_system = { system_id: 'media-store-7', system_type: 'archive' };
  const message = linkCommitted({ originating_system });
  await run(testOf('message.json'), JSON.stringify(message));
  const wrong = JSON.stringify({ ...message, topic: 'wrong' });
  await expect(run(testOf('message.json'), wrong)).rejects.toThrow('envelope.pattern');
});

test.each([
  ['producer', 'publishes a message'],
  ['consumer', 'receives what waits'],
] as const)('of a %s, only snippets that call the bus say that it %s', (kind, words) => {
  const calling = connectionSnippets.filter(({ about }) => about(kind).includes(words));
  expect(calling.map(({ label }) => label)).toEqual(['curl', 'TypeScript', 'Python']);
});

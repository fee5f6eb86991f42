// vitest: npx vitest run story.spec.ts
import { startBus, type TestBus, type TestConnection } from 'som-bus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

let bus: TestBus;
let desk: TestConnection;
let playout: TestConnection;

beforeAll(async () => {
  bus = await startBus();
  desk = await bus.producer({ systems: ['desk'], grants: ['link.*'] });
  playout = await bus.consumer({ receives: ['link.*'] });
});
afterAll(() => bus.close());

const link = {
  link_id: '5d0c1f6e-4f0e-4d8a-9d0a-0000000000a1',
  asset_id: 'clip-1',
  destination_id: 'evening-news',
} as const;

test('a link is committed and cleared, in this order', async () => {
  const committed = desk.compose({
    message_type: 'link.committed',
    payload: {
      ...link,
      message_type: 'link.committed',
      compliance_gate_status: 'PENDING',
      committed_by: 'editor-7',
      committed_at: '2026-05-04T09:00:00Z',
    },
  });
  const cleared = desk.compose({
    message_type: 'link.gate_changed',
    cause: committed,
    payload: { ...link, message_type: 'link.gate_changed', compliance_gate_status: 'CLEARED' },
  });
  // Held back, and then delivered at once.
  bus.faults(playout, { hold: true });
  for (const message of [committed, cleared])
    expect((await desk.publish(message)).outcome).toBe('accepted');
  bus.faults(playout, {});
  const gates: string[] = [];
  for await (const { message } of playout.consume({ untilEmpty: true }))
    if (message.message_type === 'link.committed' || message.message_type === 'link.gate_changed')
      gates.push(message.payload.compliance_gate_status);
  expect(gates).toEqual(['PENDING', 'CLEARED']);
});

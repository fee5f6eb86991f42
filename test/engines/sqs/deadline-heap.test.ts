import fc from 'fast-check';
import { DeadlineHeap } from '../../../lib/engines/sqs/fifo-queue.ts';

test('deadlines are returned when they are due, earliest first', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), fc.nat(50), (times, now) => {
      const heap = new DeadlineHeap();
      for (const [index, at] of times.entries()) heap.push(at, index);
      const out: number[] = [];
      for (let due = heap.popDue(now); due !== undefined; due = heap.popDue(now)) out.push(due);
      const due = times.filter(at => at <= now).sort((one, other) => one - other);
      expect(out.map(index => times[index])).toEqual(due);
      expect(new Set(out).size).toBe(out.length);
      const later = times.filter(at => at > now);
      expect(heap.earliest).toBe(later.length === 0 ? undefined : Math.min(...later));
    }),
  );
});

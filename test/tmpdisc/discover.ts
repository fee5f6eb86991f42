import fc from 'fast-check';
import { openStore } from '../../lib/engines/store/store.ts';
import { dynamoDbOperations } from '../../lib/engines/dynamodb/operations.ts';
import { inProcess, onLoopback } from '../engines/dynamodb/differential/answers.ts';
import { histories } from '../engines/dynamodb/differential/histories.ts';
import { disagreements } from '../engines/dynamodb/differential/run.ts';
const [n, seed, only] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4]];
const main = async () => {
  const ours = inProcess(dynamoDbOperations(openStore(), { clock: Date }));
  const others = [onLoopback("DynamoDB Local", 'http://127.0.0.1:18111/'), onLoopback('dynoxide', 'http://127.0.0.1:18112/')].filter(e => !only || e.name.startsWith(only));
  const seen = new Map<string, { n: number; d: any }>();
  let calls = 0; const known: Record<string, number> = {};
  const hs = fc.sample(histories(30), { numRuns: n, seed });
  for (const h of hs) {
    calls += h.calls.length;
    for (const d of await disagreements(h, {ours, others, tally: {calls:0,succeeded:0,known}})) {
      const sig = (a: any) => a.error ? `${a.error}: ${(a.message ?? '').replace(/[:#]\w+|\[[^\]]*\]|\{[^}]*\}/g, '_').slice(0, 150)}` : 'ok';
      const k = `${d.engine} | ${d.call.operation} | ${sig(d.ours)} | ${sig(d.theirs)}`;
      const e = seen.get(k) ?? { n: 0, d };
      e.n++; if (JSON.stringify(d.call).length < JSON.stringify(e.d.call).length) e.d = d;
      seen.set(k, e);
    }
  }
  console.log(`${calls} calls`, known);
  for (const [k, { n, d }] of [...seen].sort((a, b) => b[1].n - a[1].n).slice(0, Number(process.argv[5] ?? 40))) {
    console.log(`\n### ${n} x ${k}`);
    console.log('  CALL ' + JSON.stringify(d.call.input).slice(0, 700));
    console.log('  OURS ' + JSON.stringify(d.ours).slice(0, 500));
    console.log('  THEM ' + JSON.stringify(d.theirs).slice(0, 500));
  }
};
void main();

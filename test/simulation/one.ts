import { simulate } from './simulate.ts';
void simulate(Number(process.argv[2]), undefined, true).then(o => { console.log(o.trace.slice(-Number(process.argv[3] ?? 200)).join('\n')); console.log(o.violation?.message); });

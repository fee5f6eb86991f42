import { simulate } from './simulate.ts';
const n = Number(process.argv[2] ?? 200);
const main = async () => {
const t=Date.now(); let steps=0, c=0; const bad: string[]=[];
for (let s=1;s<=n;s++){ const o=await simulate(s); steps+=o.steps;c+=o.committed; if(o.violation) bad.push(`${s} ${o.violation.message}`); }
console.log(n,'seeds',Date.now()-t,'ms',steps,'steps',c,'committed',bad.length,'bad');
console.log(bad.slice(0,15).join('\n'));
};
void main();

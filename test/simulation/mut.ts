import { simulate } from './simulate.ts';
import { plantedBugs } from './variant.ts';
const main = async () => { for (const v of plantedBugs) { let hit=''; let s=1; for (; s<=1000 && !hit; s++) { const o=await simulate(s,v); if(o.violation) hit=o.violation.message; } console.log(String(s-1).padStart(5), v.name, '|', hit.slice(0,110)); } };
void main();

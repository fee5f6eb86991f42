import { parseArgs } from 'node:util';
import { publishing } from './bus.ts';
import { checkoutAt } from './checkout.ts';
import { type Hot, hotFunctions } from './hot-functions.ts';
import { closedLoop, perSecond, send } from './load.ts';
import { digits, print, table } from './table.ts';
import { withService } from './under-load.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    checkout: { type: 'string', default: '.' },
    rows: { type: 'string', default: '10' },
    bytes: { type: 'string', default: '4096' },
  },
});
const checkout = checkoutAt(values.checkout);

const main = () =>
  withService(checkout, async service => {
    const target = await publishing(service, Number(values.bytes));
    await send(target, Number(values.bytes) > 100_000 ? 100 : 1_000, 8);
    const before = service.tree.mainThreadSeconds();
    await service.ask('startProfile');
    const load = await closedLoop(target, 8, Number(values.seconds));
    const used = service.tree.mainThreadSeconds() - before;
    const { functions, files, ours } = hotFunctions(await service.ask('stopProfile'), checkout.folder);
    const total = files.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    print(
      `the main thread of ${checkout.name} while 8 clients publish ${values.bytes} bytes each, node ${process.version}`,
    );
    print(
      `${digits(perSecond(load))} a second, ${digits((1000 * used) / load.accepted)} ms of processor time of the thread for each\n`,
    );
    const rowOf = ({ name, milliseconds }: Hot): readonly string[] => [
      name,
      `${((100 * milliseconds) / total).toFixed(1)} %`,
      ((1000 * milliseconds) / load.accepted).toFixed(0),
    ];
    for (const [title, entries] of [
      ['function', functions],
      ['file or package', files],
      ['function of ours, with what it calls elsewhere', ours],
    ] as const) {
      print(table([title, 'self', 'µs a message'], entries.slice(0, Number(values.rows)).map(rowOf)));
      print('');
    }
  });

void main();

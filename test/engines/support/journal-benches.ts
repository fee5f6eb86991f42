import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { JournalBench } from './journal-bench.ts';
import { scratchFolder } from './scratch-folder.ts';

/** The first journal of a folder. */
export const first = '00000001.journal';
export const mark = 'journal.mark';

/** Journals in folders of their own, removed after the test file. */
export const journalBenches = () => {
  const root = scratchFolder();
  let number = 0;
  const newBench = (): JournalBench => {
    number += 1;
    return new JournalBench(join(root, String(number)));
  };
  return {
    newBench,
    /** One whose folder has the same files. */
    copyOf(bench: JournalBench): JournalBench {
      const copy = newBench();
      mkdirSync(copy.folder);
      for (const name of readdirSync(bench.folder))
        copyFileSync(join(bench.folder, name), join(copy.folder, name));
      return copy;
    },
  };
};

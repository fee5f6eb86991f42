import type { Command } from 'commander';

/** The options of every registry command. */
export const common = (command: Command): Command =>
  command
    .option('--data <folder>', 'data folder of the running service', '.sombus')
    .option('--json', 'print JSON', false);

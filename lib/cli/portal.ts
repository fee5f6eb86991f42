import { Command } from 'commander';
import { operatorKeyIn } from '../local/roles.ts';
import { runningService } from '../local/service-note.ts';
import { browserHost, localOwner, signInLink } from '../local/sign-in.ts';
import type { CommandContext } from './command.ts';
import { dataOption, personName } from './options.ts';

export const portalCommand = ({ terminal }: CommandContext): Command =>
  dataOption(new Command('portal'))
    .description('print a link that opens the portal of the local service; it works once, for ten minutes')
    .option('--as <name>', 'sign in as this local person', personName, localOwner)
    .addHelpText(
      'after',
      `
The owner of the data folder is called ${localOwner}. Any other name is another
person, who belongs to no organisation until somebody invites her: use a second
browser profile to try that.`,
    )
    .action(({ data, as: name }: { readonly data: string; readonly as: string }) => {
      const { portal } = runningService(data);
      const operator = operatorKeyIn(data);
      terminal.out(signInLink(portal, operator, { name, now: Date.now() }));
      terminal.error(
        `If your browser does not find that host, add this line to the hosts file of its machine: 127.0.0.1 ${browserHost(operator)}`,
      );
    });

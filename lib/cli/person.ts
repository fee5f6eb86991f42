import type { Command } from 'commander';
import type { NamedPerson } from '../registry/members.ts';
import { localIssuerName } from '../wiring/portal.ts';
import { name } from './options.ts';

export interface PersonOptions {
  readonly subject: string;
  readonly issuer: string;
  readonly personName?: string;
  readonly email?: string;
}

/** Adds them. People of the local service have their name as subject. */
export const personOptions = (command: Command): Command =>
  command
    .requiredOption('--subject <sub>', "the person's subject (sub) at the identity provider", name)
    .option('--issuer <url>', 'the identity provider; by default that of the local service', localIssuerName)
    .option('--person-name <name>', 'what to call the person (default: the subject)', name)
    .option('--email <address>', "the person's verified e-mail address", name);

export const personOf = ({ subject, issuer, personName, email }: PersonOptions): NamedPerson => ({
  issuer,
  subject,
  name: personName ?? subject,
  ...(email === undefined ? {} : { email }),
});

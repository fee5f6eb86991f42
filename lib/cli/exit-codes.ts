/** What a command's exit code says. */
export const exitCodes = {
  done: 0,
  /** The service understood the command and declined it, or a check of the doctor failed. */
  refused: 1,
  /** The command line is wrong, or the command cannot run here. */
  usage: 2,
} as const;

/** A command that the service declined: the message is for the operator. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** Some of the checks that a command made have failed: it has printed them. */
export class ChecksFailed extends Error {
  override readonly name = 'ChecksFailed';
}

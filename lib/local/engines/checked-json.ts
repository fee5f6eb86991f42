import { createHash } from 'node:crypto';

const member = 'checksum';

const checksumOf = (value: object): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

/** A value to be kept as JSON, with a checksum of the rest as its last member. */
export const withChecksum = <T extends object>(value: T): T & { readonly checksum: string } => ({
  ...value,
  [member]: checksumOf(value),
});

/** Whether a value that was read is the one that was written; true as well where no checksum was kept. */
export const isUnchanged = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || !(member in value)) return true;
  const { [member]: checksum, ...rest } = value;
  return checksum === checksumOf(rest);
};

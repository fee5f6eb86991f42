/** V8 has it in browsers as in Node; others ignore it. */
interface ErrorConstructor {
  stackTraceLimit?: number | undefined;
}

/** A picture, as a data URL. */
declare module '*.svg' {
  const address: string;
  // biome-ignore lint/style/noDefaultExport: the bundler makes it so
  export default address;
}

declare module '*.css';

/** V8 has it in browsers as in Node; others ignore it. */
interface ErrorConstructor {
  stackTraceLimit?: number | undefined;
}

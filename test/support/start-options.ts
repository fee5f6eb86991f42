/**
 * How a test starts the local service on a folder: at free ports, without limits and without
 * output.
 */
export const startOptions = (data: string) => ({
  port: 0,
  portalPort: 0,
  data,
  fresh: false,
  limits: false,
  openEngines: false,
  hosts: [],
  print: () => undefined,
  warn: () => undefined,
});

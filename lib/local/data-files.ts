/** Files of a data folder that more than one part of the program reads. */
export const dataFiles = {
  /** Says that the folder is one, of which format. */
  marker: 'sombus.json',
  /** The demo workspace with its connections and their secrets. */
  credentials: 'credentials.json',
  /** Where the service listens that runs, or ran last. */
  service: 'service.json',
} as const;

import type { Activity, Recorder } from '../../../lib/bus/activity/records.ts';

/** A recorder that keeps what it was told, in order. */
export const recorderInMemory = () => {
  const recorded: Activity[] = [];
  const port: Recorder = {
    async record(activity) {
      recorded.push(activity);
    },
  };
  return { port, recorded };
};

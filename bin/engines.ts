import { parentPort, workerData } from 'node:worker_threads';
import { serveEngineRoom } from '../lib/local/engine-thread.ts';

if (parentPort === null) throw new Error('This program is a thread of sombus dev.');
void serveEngineRoom(parentPort, workerData);

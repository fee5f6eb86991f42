import { parentPort, workerData } from 'node:worker_threads';
import { serveEngineRoom } from '../lib/local/serve-engine-room.ts';

if (parentPort === null) throw new Error('This program is a thread of sombus dev.');
void serveEngineRoom(parentPort, workerData);

// What `som-bus/executor` exports.
export { makeReady, type ReadyInstance } from './evaluate.ts';
export { type MemoryFile, openMemoryFile } from './memory.file.ts';
export { UnusableMemory } from './memory.ts';
export { type Executor, type ExecutorEvent, ExecutorRefused, runExecutor } from './run.ts';
export { type Copy, type Finding, type Instance, type Snapshot, UnusableInstance } from './skill.ts';

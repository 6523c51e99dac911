// Runs long counts outside the page. It receives a task, reports progress, and is ended from
// outside.
import type { Task } from "./tasks.js";
import { countFirstBytes, countGlimpse, countRoos, randomKeys } from "./counts.js";
import { measure } from "./measure.js";

/** Milliseconds between two reports. */
const REPORT = 200;

async function run(task: Task): Promise<void> {
  if (task.kind === "speed") return measure((progress) => postMessage(progress));
  const steps = task.kind === "first-bytes" ? countFirstBytes(task.keystreams, randomKeys(16))
    : task.kind === "roos" ? countRoos(task.keys, randomKeys(16))
    : countGlimpse(task.size, task.words, randomKeys(16));
  let reported = performance.now();
  for (const { counts, done } of steps) {
    const now = performance.now();
    if (now - reported < REPORT) continue;
    reported = now;
    postMessage({ counts, done });
  }
  postMessage({ counts: steps.counts, done: steps.total, finished: true });
}

onmessage = (event: MessageEvent<Task>) => void run(event.data);

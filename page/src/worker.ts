// Runs long counts and searches outside the page. It receives a task, reports progress, and is ended from
// outside.
import type { Task } from "./tasks.js";
import { countFirstBytes, countGlimpse, countRoos, randomKeys } from "./counts.js";
import { measure } from "./measure.js";
import { search } from "./search.js";
import { webgpu } from "./webgpu.js";

/** Milliseconds between two reports. */
const REPORT = 200;

/** Posts the progress of a task now and then, and at its end. */
async function follow(steps: Iterable<object> | AsyncIterable<object>): Promise<void> {
  let reported = performance.now();
  let last = {};
  for await (const progress of steps) {
    last = progress;
    const now = performance.now();
    if (now - reported < REPORT) continue;
    reported = now;
    postMessage(progress);
  }
  postMessage({ ...last, finished: true });
}

function run(task: Task): Promise<void> {
  switch (task.kind) {
    case "speed": return measure((progress) => postMessage(progress));
    case "search": return follow(search(task.search, task.gpu ? webgpu : undefined));
    case "first-bytes": return follow(countFirstBytes(task.keystreams, randomKeys(16)));
    case "roos": return follow(countRoos(task.keys, randomKeys(16)));
    case "glimpse": return follow(countGlimpse(task.size, task.words, randomKeys(16)));
  }
}

onmessage = (event: MessageEvent<Task>) => void run(event.data);

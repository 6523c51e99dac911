import { useEffect, useRef, useState } from "preact/hooks";

import source from "built:worker";

import type { Search } from "./keys.js";

/** A task for the worker. */
export type Task =
  | { kind: "first-bytes"; keystreams: number }
  | { kind: "roos"; keys: number }
  | { kind: "glimpse"; size: number; words: number }
  | { kind: "search"; search: Search; gpu: boolean }
  | { kind: "speed" };

/** The progress of a count. */
export interface Progress {
  counts: Uint32Array;
  done: number;
  finished?: boolean;
}

export interface Running<T> {
  running: boolean;
  progress?: T;
  start: (task: Task) => void;
  stop: () => void;
}

/** A worker for one view: its last message, and functions that start and stop it. */
export function useWorker<T = Progress>(): Running<T> {
  const worker = useRef<Worker>();
  const [running, setRunning] = useState(false);
  const [progress, setProgress] = useState<T>();
  const stop = () => {
    worker.current?.terminate();
    worker.current = undefined;
    setRunning(false);
  };
  useEffect(() => stop, []);
  const start = (task: Task) => {
    stop();
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    worker.current = new Worker(url);
    URL.revokeObjectURL(url);
    worker.current.onmessage = ({ data }: MessageEvent<T & { finished?: boolean }>) => {
      setProgress(data);
      if (data.finished) stop();
    };
    setProgress(undefined);
    setRunning(true);
    worker.current.postMessage(task);
  };
  return { running, progress, start, stop };
}

import kernel from "built:kernel";

import { type Mask, type Search } from "./keys.js";
import type { Device } from "./search.js";

/** Bytes of the table of RC4. */
const TABLE = 256;
/** As in gpu/src: maximum numbers of lanes of a workgroup, and of keys of a dispatch. */
const [MOST_LANES, MOST_KEYS] = [64, 1 << 22];
/** Milliseconds after which a GPU without an answer is given up. */
const PATIENCE = 60_000;

/** Little-endian words of bytes; the last one is filled with 0. */
function words(bytes: ArrayLike<number>): number[] {
  return Array.from({ length: Math.ceil(bytes.length / 4) }, (_, n) =>
    [3, 2, 1, 0].reduce((word, at) => word * 256 + (bytes[4 * n + at] ?? 0), 0));
}

/** What the kernel reads, as `gpu/src/job.rs` writes it. */
function job({ mask, known }: Search) {
  const places = mask.flatMap(({ length }, place) => (length > 1 ? [place] : [])).reverse();
  // A key without unknown bytes has one digit of one value.
  if (places.length === 0) places.push(0);
  const values = (place: number) => Array.from({ length: 256 }, (_, n) => mask[place][n] ?? 0);
  return {
    fixed: words(mask.map(([value]) => value)),
    digits: places.flatMap((place) => [place, mask[place].length, ...words(values(place))]),
    goal: Array.from(known).flatMap((byte) => [0, ...Array.from({ length: 8 }, (_, word) => (byte >> 5 === word ? (1 << (byte & 31)) >>> 0 : 0))]),
    start: (first: number, count: number) => [count, ...places.map((place) => {
      const digit = first % mask[place].length;
      first = Math.floor(first / mask[place].length);
      return digit;
    })],
  };
}

function lanesOf(mask: Mask, { maxComputeWorkgroupStorageSize, maxComputeInvocationsPerWorkgroup }: GPUSupportedLimits): number {
  const memory = TABLE + 4 * Math.ceil(mask.length / 4);
  const most = Math.min(maxComputeWorkgroupStorageSize / memory, maxComputeInvocationsPerWorkgroup, MOST_LANES);
  return 2 ** Math.floor(Math.log2(most));
}

/** Opens the browser's GPU for a search. Rejects with the reason if there is none. */
export async function webgpu(task: Search): Promise<Device> {
  if (!navigator.gpu) throw new Error("This browser has no WebGPU");
  const adapter = await navigator.gpu.requestAdapter();
  if (!adapter) throw new Error("This browser has WebGPU and finds no GPU");
  const { maxComputeWorkgroupStorageSize } = adapter.limits;
  const device = await adapter.requestDevice({ requiredLimits: { maxComputeWorkgroupStorageSize } });
  const { fixed, digits, goal, start } = job(task);
  const lanes = lanesOf(task.mask, device.limits);
  const most = lanes * Math.min(device.limits.maxComputeWorkgroupsPerDimension, MOST_KEYS / lanes);

  const length = task.mask.length;
  const code = `const LANES = ${lanes}u;\nconst KEY_BYTES = ${length}u;\nconst RC4_BYTES = ${length}u;\n${kernel}`;
  const module = device.createShaderModule({ code });
  const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint: "keystream" } });
  const buffer = (size: number, usage: number) => device.createBuffer({ size: 4 * size, usage });
  const write = (to: GPUBuffer, numbers: number[]) => device.queue.writeBuffer(to, 0, new Uint32Array(numbers));
  const [fixedBytes, digitWords, startWords, goalWords] = [fixed, digits, start(0, 0), goal].map((numbers) => {
    const made = buffer(numbers.length, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST);
    write(made, numbers);
    return made;
  });
  const found = buffer(1 + most, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST);
  const copy = buffer(1 + most, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
  const entries = [fixedBytes, digitWords, startWords, goalWords, found].map((bound, binding) => ({ binding, resource: { buffer: bound } }));
  const bindings = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });

  /** Does the commands, and reads the number of found keys and the first `count` of them. */
  const read = async (commands: GPUCommandEncoder, count: number) => {
    const size = 4 * (1 + count);
    commands.copyBufferToBuffer(found, 0, copy, 0, size);
    device.queue.submit([commands.finish()]);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`The GPU did not answer for ${PATIENCE / 1000} seconds`)), PATIENCE);
    });
    const lost = () => device.lost.then(({ message }): never => {
      throw new Error(`The GPU was lost: ${message}`);
    });
    await Promise.race([copy.mapAsync(GPUMapMode.READ, 0, size).catch(lost), silence]);
    clearTimeout(timer);
    const numbers = Array.from(new Uint32Array(copy.getMappedRange(0, size)));
    copy.unmap();
    return numbers;
  };
  const { vendor, architecture, isFallbackAdapter } = adapter.info;
  return {
    name: `the GPU ${[vendor, architecture].join(" ").trim()}${isFallbackAdapter ? ", which is a program on the processor" : ""}`,
    most,
    candidates: async (first, count) => {
      write(startWords, start(first, count));
      const commands = device.createCommandEncoder();
      commands.clearBuffer(found, 0, 4);
      const pass = commands.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bindings);
      pass.dispatchWorkgroups(Math.ceil(count / lanes));
      pass.end();
      const [held] = await read(commands, 0);
      const numbers = held > 0 ? await read(device.createCommandEncoder(), held) : [0];
      return numbers.slice(1).sort((a, b) => a - b).map((number) => first + number);
    },
  };
}

import { checkCount, checkLongCount } from "./arguments.js";
import { type Bytes, type BytesLike, kindOf, viewOf } from "./bytes.js";

/** A source that gives its bytes in chunks. Node's readable streams are async iterables. */
export type Source = Blob | ReadableStream<BytesLike> | AsyncIterable<BytesLike>;

/**
 * A stream cipher at a position of its keystream: as in PyCryptodome's ARC4, encrypt and decrypt
 * continue at the current position. A method that refuses its argument throws before it takes any
 * keystream.
 */
export abstract class StreamCipher {
  /** Xors the next bytes of keystream into the data. */
  protected abstract xor(data: Uint8Array): void;

  /** Writes the next bytes of keystream over `out`, and returns `out`. */
  fill<T extends BytesLike>(out: T): T {
    this.xor(viewOf("out", out).fill(0));
    return out;
  }

  /** Xors the next bytes of keystream into `data` in place, and returns `data`. */
  apply<T extends BytesLike>(data: T): T {
    this.xor(viewOf("data", data));
    return data;
  }

  /** Returns the next bytes of the message, encrypted. `data` is not changed and shares no memory with the result. */
  encrypt(data: BytesLike): Bytes {
    const copy = new Uint8Array(viewOf("data", data));
    this.xor(copy);
    return copy;
  }

  /** As `encrypt`: a stream cipher does the same both ways. */
  decrypt(data: BytesLike): Bytes {
    return this.encrypt(data);
  }

  /** Returns the next `length` bytes of keystream. */
  keystream(length: number): Bytes {
    checkCount("length", length);
    return this.fill(new Uint8Array(length));
  }

  /** Discards the next `length` bytes of keystream. */
  skip(length: number | bigint): void {
    checkLongCount("length", length);
    const unused = new Uint8Array(65_536);
    for (let left = Number(length); left > 0; left -= unused.length) this.xor(unused.subarray(0, left));
  }

  /** A stream that encrypts, or decrypts, the chunks that are piped through it. The chunks are not changed. */
  transform(): TransformStream<BytesLike, Bytes> {
    return new TransformStream({
      transform: (chunk, sink) => {
        const copy = new Uint8Array(viewOf("a chunk of the stream", chunk));
        this.xor(copy);
        sink.enqueue(copy);
      },
    });
  }

  /** Returns a stream of the source's bytes, encrypted chunk by chunk. */
  encryptStream(source: Source): ReadableStream<Bytes> {
    return streamOf(source).pipeThrough(this.transform());
  }

  /** As `encryptStream`. */
  decryptStream(source: Source): ReadableStream<Bytes> {
    return this.encryptStream(source);
  }
}

function streamOf(source: Source): ReadableStream<BytesLike> {
  if (source instanceof ReadableStream) return source;
  if (source instanceof Blob) return source.stream();
  if (typeof source === "object" && source !== null && Symbol.asyncIterator in source) return streamFrom(source);
  throw new TypeError(`the source is ${kindOf(source)}; it must be a Blob, a ReadableStream or an async iterable, such as a stream of Node`);
}

/** As ReadableStream.from, which Node 18 and some browsers lack. */
function streamFrom(source: AsyncIterable<BytesLike> & { destroy?(): void }): ReadableStream<BytesLike> {
  const iterator = source[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (sink) => {
      const next = await iterator.next();
      if (next.done) sink.close();
      else sink.enqueue(next.value);
    },
    cancel: async (reason) => {
      // The iterator of a stream of Node returns only after its next bytes, which may never come.
      source.destroy?.();
      await iterator.return?.(reason);
    },
  });
}

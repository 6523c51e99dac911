/** A stream cipher at a position of its keystream: as PyCryptodome's ARC4, encrypt and decrypt go on where they were. */
export abstract class StreamCipher {
  /** Writes the next bytes of keystream over `out`, and returns it. */
  abstract fill(out: Uint8Array): Uint8Array;

  /** Xors the next bytes of keystream into `data` in place, and returns it. */
  apply(data: Uint8Array): Uint8Array {
    const keystream = this.fill(new Uint8Array(data.length));
    for (let n = 0; n < data.length; n++) data[n] ^= keystream[n];
    return data;
  }

  /** The next bytes of the message, encrypted; `data` is left as it is. */
  encrypt(data: Uint8Array): Uint8Array {
    return this.apply(data.slice());
  }

  /** As `encrypt`: a stream cipher does the same both ways. */
  decrypt(data: Uint8Array): Uint8Array {
    return this.encrypt(data);
  }

  /** The next `length` bytes of keystream. */
  keystream(length: number): Uint8Array {
    return this.fill(new Uint8Array(length));
  }

  /** Discards the next `length` bytes of keystream: a whole number, 0 or more. */
  skip(length: number | bigint): void {
    checkCount("skip", length);
    const unused = new Uint8Array(65_536);
    for (let left = Number(length); left > 0; left -= unused.length) this.fill(unused.subarray(0, left));
  }

  /** A stream that encrypts, or decrypts, what is piped through it. */
  transform(): TransformStream<Uint8Array, Uint8Array> {
    return new TransformStream({ transform: (chunk, sink) => sink.enqueue(this.encrypt(chunk)) });
  }
}

/** Throws a RangeError unless the number of bytes is whole and not negative. */
export function checkCount(what: string, count: number | bigint): void {
  if (count < 0 || (typeof count === "number" && !Number.isSafeInteger(count)))
    throw new RangeError(`${what} is ${count}; it must be a whole number of bytes, 0 or more`);
}

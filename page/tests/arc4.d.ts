declare module "arc4" {
  /** The npm package `arc4`, which has no types of its own. */
  export default function arc4(algorithm: "arc4", key: Buffer): { encodeBuffer(data: Buffer): Buffer };
}

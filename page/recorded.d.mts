export function recorded(): Omit<(typeof import("built:recorded"))["default"], "wasm">;
export function table(text: string): Record<string, string>[];
export function packed(numbers: Iterable<number>): string;

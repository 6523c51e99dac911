export function recorded(): (typeof import("built:recorded"))["default"];
export function table(text: string): Record<string, string>[];
export function packed(numbers: Iterable<number>): string;

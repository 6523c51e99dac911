/** A report of the measurement. */
export interface Measured {
  finished?: boolean;
}
export async function measure(report: (measured: Measured) => void): Promise<void> {
  report({ finished: true });
}

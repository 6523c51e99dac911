import { defineConfig } from "vitest/config";

import { recorded } from "./recorded.mjs";

// What the build would put in.
const built = {
  name: "built",
  resolveId: (id: string) => (id.startsWith("built:") ? `\0${id}` : undefined),
  load: (id: string) => (id === "\0built:recorded" ? `export default ${JSON.stringify(recorded())}` : id === "\0built:worker" ? "export default ''" : undefined),
};

export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  test: {
    // One browser at a time; the unit tests are two files.
    fileParallelism: false,
    projects: [
      { extends: true, plugins: [built], test: { name: "unit", include: ["tests/unit/**/*.test.ts"] } },
      { test: { name: "package", include: ["tests/package/**/*.test.ts"], testTimeout: 300_000, hookTimeout: 300_000 } },
      { test: { name: "browser", include: ["tests/browser/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 } },
    ],
  },
});

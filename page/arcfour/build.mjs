// Writes what the package holds: dist/esm, dist/cjs and the licences. npm runs it as `prepare`, before it packs or installs the folder.
import { execFileSync } from "node:child_process";
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const { resolve: find } = createRequire(import.meta.url);

/** The compiler of the workspace, which a clean clone has not installed yet. */
function compiler() {
  try {
    return find("typescript/bin/tsc");
  } catch {
    // npm hands its options down to scripts; these would change or prevent the installation.
    const inherited = /^npm_config_(dry_run|global|include|omit|only|production|workspaces?)$/i;
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !inherited.test(name) && name !== "NODE_ENV"));
    execFileSync("npm", ["install", "--no-save", "--ignore-scripts"], { cwd: resolve(HERE, ".."), env, stdio: ["ignore", "ignore", "inherit"], shell: process.platform === "win32" });
    return find("typescript/bin/tsc");
  }
}

const tsc = compiler();
rmSync(resolve(HERE, "dist"), { recursive: true, force: true });
for (const project of ["tsconfig.json", "tsconfig.cjs.json"])
  execFileSync(process.execPath, [tsc, "-p", resolve(HERE, project)], { stdio: "inherit" });
// A bundler asks the nearest package.json whether it may leave out what is not used.
writeFileSync(resolve(HERE, "dist/cjs/package.json"), '{ "type": "commonjs", "sideEffects": false }\n');
for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) copyFileSync(resolve(HERE, "../..", name), resolve(HERE, name));

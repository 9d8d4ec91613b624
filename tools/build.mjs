// `npm run build`: builds all packages, in their order, those that changed. Arguments go to Turborepo, such as `--filter`.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
const turbo = join(root, 'node_modules/turbo/bin/turbo');
const { status, error } = spawnSync(
  process.execPath,
  [turbo, 'run', 'build', ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: 'inherit',
    // Whoever builds has agreed to nothing, and Turborepo would tell its makers.
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1' },
  },
);
if (error !== undefined)
  console.error(`Turborepo cannot be started (${error.message}): npm run setup`);
process.exitCode = status ?? 1;

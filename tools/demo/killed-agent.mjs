// The millforge command with one difference: the process kills itself at a given moment of a given
// tool. `node killed-agent.mjs TOOL PHASE COMMAND…`
import { main } from '../../packages/cli/dist/index.js';
import { createMillforge, piTools } from '../../packages/millforge/dist/index.js';

const [tool, phase, ...argv] = process.argv.slice(2);
const shippedTools = piTools({
  onEffect(name, moment) {
    if (name === tool && moment === phase) process.kill(process.pid, 'SIGKILL');
  },
});
process.exitCode = await main(argv, {
  createMillforge: (options) => createMillforge({ ...options, shippedTools }),
  version: '0.1.0',
});

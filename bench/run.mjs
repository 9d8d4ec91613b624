// npm run bench [-- start|compile|guard|loop|durable|sandbox|registry|builtin|connectors|pi …]
const wanted = process.argv.slice(2);
const benches = [
  ['start', async () => (await import('./start.mjs')).benchStart()],
  ['compile', async () => (await import('./compile.mjs')).benchCompile()],
  ['guard', async () => (await import('./guard.mjs')).benchGuard()],
  ['loop', async () => (await import('./loop.mjs')).benchLoop()],
  ['durable', async () => (await import('./durable.mjs')).benchDurable()],
  ['sandbox', async () => (await import('./sandbox.mjs')).benchSandbox()],
  ['registry', async () => (await import('./registry.mjs')).benchRegistry()],
  ['builtin', async () => (await import('./builtin.mjs')).benchBuiltin()],
  ['connectors', async () => (await import('./connectors.mjs')).benchConnectors()],
  ['pi', async () => (await import('./pi.mjs')).benchPi()],
];
process.stdout.write(
  `${''.padEnd(44)}${'ratio'.padStart(10)}${'ours'.padStart(14)}${'theirs'.padStart(14)}\n`,
);
for (const [name, bench] of benches) {
  if (wanted.length === 0 || wanted.includes(name)) await bench();
}

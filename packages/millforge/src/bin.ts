#!/usr/bin/env node
import { VERSION } from './version.ts';

// The version is asked for by scripts and completions: it is answered before anything is loaded.
if (['--version', '-V', '-v'].includes(process.argv[2] ?? '')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  const [
    { main },
    { createMillforge },
    { openConnector },
    { logInToConnector },
    { openCustomTools },
  ] = await Promise.all([
    import('@millforge/cli'),
    import('./create-millforge.ts'),
    import('./connectors/open-connector.ts'),
    import('./connectors/log-in-to-connector.ts'),
    import('./custom-tools/open-custom-tools.ts'),
  ]);
  // A reader that went away (`| head`) is no fault of the run.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE') return;
      if (stream === process.stdout) {
        process.stderr.write(`millforge: The output cannot be written (${code}).\n`);
      }
      process.exit(1);
    });
  }
  process.exitCode = await main(process.argv.slice(2), {
    createMillforge,
    openConnector,
    logInToConnector,
    openCustomTools,
    version: VERSION,
  });
}

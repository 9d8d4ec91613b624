import { createMillforge, type RunEvent } from 'millforge';
import { LOOPING_RUN, loopingRequest } from './looping-run.ts';
import { placesIn } from './scripted-run.ts';

// node child.mjs DIRECTORY URL TURN [resume]   runs, and dies as soon as the reply of that turn is known

const [directory = '', serverUrl = '', turn = '', mode = 'start'] = process.argv.slice(2);

function die(event: RunEvent): void {
  if (event.kind === 'model-replied' && event.turn === Number(turn) && !event.replayed) {
    process.kill(process.pid, 'SIGKILL');
  }
}

const places = placesIn(directory);
await using millforge = createMillforge({ dataDir: places.data, actor: 'ann@host' });
const run =
  mode === 'resume'
    ? await millforge.resume(LOOPING_RUN, { onEvent: die })
    : await millforge.run({ ...loopingRequest(millforge, { places, serverUrl }), onEvent: die });
await run.result;

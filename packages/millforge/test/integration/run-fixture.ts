import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from '@millforge/models/testing';
import {
  createMillforge,
  type Millforge,
  type MillforgeOptions,
  type ModelSetting,
  piTools,
  type RunEvent,
  type RunHandle,
  type RunRequest,
  type TrailRecord,
} from 'millforge';
import { onTestFinished } from 'vitest';
import { GRANTS, makeWorkspace, type RunPlaces, scriptedReplies } from '../crash/scripted-run.ts';
import { compiledPlan } from './compiled-plan.ts';

/** One workspace with its trail and a model server of its own. */
export interface RunFixture extends AsyncDisposable {
  readonly directory: string;
  readonly places: RunPlaces;
  readonly server: ScriptedServer;
  /** The model of the server, as a run is given it. */
  readonly model: ModelSetting;
  /** Opens the trail of this fixture; closed when the test ends. */
  readonly open: (options?: MillforgeOptions) => Millforge;
  /** Starts the scripted run. */
  readonly start: (millforge: Millforge, options?: Partial<RunRequest>) => Promise<RunHandle>;
  /** Runs of the shell command. */
  readonly commands: () => number;
}

/** How a fixture differs from the plain one. */
export interface FixtureOptions extends Partial<ScriptedServerOptions> {
  /** The shell command of the script. */
  readonly command?: (places: RunPlaces) => string;
}

/** A fixture that ends with its test. */
export async function createRunFixture(options: FixtureOptions = {}): Promise<RunFixture> {
  const fixture = await openRunFixture(options);
  onTestFinished(() => fixture[Symbol.asyncDispose]());
  return fixture;
}

/** Makes a workspace and starts a server with the script of six turns and nine calls. */
export async function openRunFixture(options: FixtureOptions = {}): Promise<RunFixture> {
  const { command, ...serverOptions } = options;
  const directory = mkdtempSync(join(tmpdir(), 'millforge-run-'));
  const places = makeWorkspace(directory);
  const server = await startScriptedServer({
    replies: scriptedReplies(places, command === undefined ? {} : { command: command(places) }),
    ...serverOptions,
  });
  const opened: Millforge[] = [];
  const model: ModelSetting = {
    kind: 'endpoint',
    profile: { profile_id: 'test.small', base_url: server.url, model: 'scripted', max_retries: 0 },
  };
  return {
    async [Symbol.asyncDispose]() {
      for (const millforge of opened) await millforge[Symbol.asyncDispose]();
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
    directory,
    places,
    server,
    model,
    open(more = {}) {
      const millforge = createMillforge({ dataDir: places.data, actor: 'ann@host', ...more });
      opened.push(millforge);
      return millforge;
    },
    start: (millforge, more = {}) =>
      millforge.run({
        plan: compiledPlan(millforge),
        task: 'Do it all.',
        workspace: places.workspace,
        model,
        grants: GRANTS,
        ...more,
      }),
    commands: () => countLines(places.counter),
  };
}

/** Tools of which the first shell command breaks off right behind its effect, so that nobody knows how it ended. */
export function toolsWithBrokenCommand({ counter }: RunPlaces): ReturnType<typeof piTools> {
  let isBroken = false;
  return piTools({
    onEffect(tool, phase) {
      if (tool !== 'bash' || phase !== 'after-effect' || isBroken) return;
      isBroken = true;
      // The shell is a process of its own and goes on while this one waits. It makes the file before it writes the
      // line, and is ended together with the call.
      while (countLines(counter) === 0) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
      }
      throw new Error('The connection to the shell is lost.');
    },
  });
}

/** Lines that were written to their end. */
function countLines(file: string): number {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}

/** The trail of a run. */
export async function trailOf(
  millforge: Millforge,
  runId: string,
): Promise<readonly TrailRecord[]> {
  const records: TrailRecord[] = [];
  for await (const record of millforge.readTrail(runId)) records.push(record);
  return records;
}

/** Collects events, and says of each call and turn whether it was replayed. */
export function collectEvents(): {
  readonly onEvent: (event: RunEvent) => void;
  readonly replayed: (kind: RunEvent['kind']) => readonly boolean[];
  readonly events: readonly RunEvent[];
} {
  const events: RunEvent[] = [];
  return {
    events,
    onEvent: (event) => {
      events.push(event);
    },
    replayed: (kind) => events.flatMap((event) => (event.kind === kind ? event.replayed : [])),
  };
}

/** Waits for a condition, for ten seconds at most. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`Ten seconds were not enough: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

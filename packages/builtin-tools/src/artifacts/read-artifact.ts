import { type JsonObject, sha256, type Tool, type ToolResult } from '@millforge/contracts';
import { BYTES, limitArgument, stringArgument } from '../arguments.ts';
import { BOOLEAN, defineBuiltinTool, INTEGER, STRING } from '../define-builtin-tool.ts';
import { boundedText } from '../files/bounded-text.ts';
import { answering, checking, toolFault } from '../tool-faults.ts';
import { type ArtifactAccess, declaringRun } from './artifact-access.ts';
import { ARTIFACTS } from './artifact-table.ts';

/** Makes the tools that read artifacts: one for any, and one for each that has a reader of its own. */
export function readArtifactTools(access: ArtifactAccess): readonly Tool[] {
  const own = ARTIFACTS.filter(({ isRead }) => isRead);
  return [
    readTool(access, {
      idEnd: 'artifact.read',
      name: 'read_artifact',
      description:
        'Read an artifact of this run by its id. Long ones are cut after max_bytes (default 32768).',
      properties: { artifact_id: STRING, max_bytes: INTEGER },
      required: ['artifact_id'],
      idSchema: STRING,
      idOf: (input) => stringArgument(input, 'artifact_id'),
    }),
    ...own.map(({ id, meaning }) =>
      readTool(access, {
        idEnd: `artifact.read_${id}`,
        name: `read_${id}_artifact`,
        description: `Read ${meaning} of this run.`,
        properties: {},
        required: [],
        idSchema: { type: 'string', enum: [id] },
        idOf: () => id,
      }),
    ),
  ];
}

interface Reader {
  readonly idEnd: string;
  readonly name: string;
  readonly description: string;
  readonly properties: JsonObject;
  readonly required: readonly string[];
  readonly idSchema: JsonObject;
  readonly idOf: (input: JsonObject) => string;
}

function readTool(access: ArtifactAccess, reader: Reader): Tool {
  const { idOf, idSchema, ...definition } = reader;
  return defineBuiltinTool({
    ...definition,
    results: {
      artifact_id: idSchema,
      content: STRING,
      content_sha256: STRING,
      truncated: BOOLEAN,
    },
    requiredResults: ['artifact_id', 'content', 'content_sha256', 'truncated'],
    sideEffect: 'read_only',
    idempotency: 'idempotent',
    capabilities: ['artifact.read'],
    check: (input, { runId }) =>
      checking(() => {
        declaringRun(access, runId, idOf(input));
      }),
    run: (input, { runId, signal }) =>
      answering(signal, () =>
        readArtifact(access, {
          runId,
          id: idOf(input),
          limit: limitArgument(input, 'max_bytes', BYTES),
        }),
      ),
  });
}

async function readArtifact(
  access: ArtifactAccess,
  { runId, id, limit }: { readonly runId: string; readonly id: string; readonly limit: number },
): Promise<ToolResult> {
  const found = await declaringRun(access, runId, id).artifacts.read(id);
  if (found === null) {
    throw toolFault('not_found', `artifact_absent: ${id} has not been written yet.`);
  }
  const { text, isCut } = boundedText(found.bytes, limit);
  return {
    kind: 'done',
    text,
    truncated: isCut,
    data: {
      status: 'success',
      summary: `${id}: ${found.bytes.length} bytes`,
      artifact_id: id,
      content: text,
      content_sha256: sha256(found.bytes),
      truncated: isCut,
    },
  };
}

import { descriptorDigest, MillforgeError } from '@millforge/contracts';
import type { CompiledCustomTool } from '../compile.ts';
import { recordDigest } from '../emit/emit-tools.ts';
import { contentDigest, implementationDigest } from '../resolve/resolve-implementation.ts';

/** Takes a tool only if record, descriptor and code are those that were compiled together. */
export function assertDigests({ descriptor, record, implementation }: CompiledCustomTool): void {
  const { compilation_record_sha256, ...fields } = record;
  demand(record.tool_id, 'compilation record', recordDigest(fields) === compilation_record_sha256);
  const isDescriptor = descriptorDigest(descriptor) === record.descriptor_sha256;
  demand(record.tool_id, 'descriptor', isDescriptor);
  if (implementation === null) {
    demand(record.tool_id, 'implementation record', record.implementation_sha256 === undefined);
    return;
  }
  const { implementation_sha256, content_sha256, code } = implementation;
  demand(record.tool_id, 'content', contentDigest(code) === content_sha256);
  const isImplementation =
    implementation_sha256 === record.implementation_sha256 &&
    implementationDigest(implementation) === implementation_sha256 &&
    implementation.implementation_id === record.implementation_id &&
    code.kind === record.runtime_kind;
  demand(record.tool_id, 'implementation record', isImplementation);
}

function demand(toolId: string, what: string, isRight: boolean): void {
  if (isRight) return;
  throw new MillforgeError(
    'custom-tools/digest-mismatch',
    `The ${what} of ${toolId} is not the one that was compiled; compile and review it again.`,
    { details: { tool_id: toolId, what } },
  );
}

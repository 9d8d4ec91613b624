import {
  type Diagnostic,
  isTerminalResult,
  type JsonSchema,
  type SchemaScalar,
} from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import { quoted } from '../nearest-name.ts';
import type { ResolvedNode } from '../resolve/resolved-harness.ts';

/** Warns of terminals whose tool takes the result as an argument and never that of the node. */
export function checkTerminalSchemas(nodes: readonly ResolvedNode[]): readonly Diagnostic[] {
  return nodes.flatMap(({ nodeId, path, source, tool }) => {
    const result = source.terminal_result;
    if (result === null || tool === null) return [];
    const schema = tool.input_schema;
    if (!('properties' in schema) || !Object.hasOwn(schema.properties, ARGUMENT)) return [];
    const argument = schema.properties[ARGUMENT];
    const accepted = argument === undefined ? null : listedValues(argument);
    if (accepted === null || accepted.includes(result)) return [];
    // Only a name by the grammar may be shown: a schema may hold any text.
    const names = accepted.filter((value) => typeof value === 'string').filter(isTerminalResult);
    const hint =
      names.length === 0
        ? `No call of the tool ${tool.tool_id} can end with a terminal result: bind another tool.`
        : `The tool ${tool.tool_id} accepts ${quoted(names)}: write that, or bind another tool.`;
    return [
      report.terminalResultUnreachable({
        path: `${path}/terminal_result`,
        nodeId,
        hint,
        fields: { terminal_result: result },
      }),
    ];
  });
}

const ARGUMENT = 'terminal_result';

/** The only values that a schema can accept, or null where it does not list them. */
function listedValues(schema: JsonSchema): readonly SchemaScalar[] | null {
  if ('const' in schema) return [schema.const];
  if ('oneOf' in schema) return schema.oneOf.map((choice) => choice.const);
  if ('anyOf' in schema) {
    const lists = schema.anyOf.map(listedValues);
    return lists.every((list) => list !== null) ? lists.flat() : null;
  }
  return 'enum' in schema ? (schema.enum ?? null) : null;
}

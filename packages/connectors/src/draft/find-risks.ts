import type { JsonObject } from '@millforge/contracts';
import { findInstructions } from '../admission/find-instructions.ts';
import type { ConnectorDiscoverySnapshot } from '../discovery/discovery-snapshot.ts';
import type { DiscoveredProviderTool } from '../discovery/provider-tool.ts';
import type { ProposedSchema } from './propose-schema.ts';

/** Something about a server's tool that whoever admits it should have read. */
export interface ToolRisk {
  /** The tool. */
  readonly provider_tool_name: string;
  /** What kind of thing. */
  readonly kind:
    | 'instructions'
    | 'shadowing'
    | 'look-alike'
    | 'destructive-hint'
    | 'open-world-hint'
    | 'open-object'
    | 'lossy-schema'
    | 'no-schema'
    | 'long-description';
  /** One sentence. */
  readonly message: string;
}

/** Names that tools of the house have, which a server's tool had better not have too. */
export interface KnownTools {
  /** Names shown to models. */
  readonly modelToolNames: readonly string[];
}

/** What stands out about one tool; hints of the server can only raise a concern, never lay one. */
export function findRisks(
  tool: DiscoveredProviderTool,
  context: {
    readonly snapshot: ConnectorDiscoverySnapshot;
    readonly known: KnownTools;
    readonly input: ProposedSchema;
  },
): readonly ToolRisk[] {
  const name = tool.provider_tool_name;
  const risk = (kind: ToolRisk['kind'], message: string): ToolRisk => ({
    provider_tool_name: name,
    kind,
    message,
  });
  const said = [tool.provider_description, ...textsOf(tool.input_schema)];
  const instructions = said.flatMap(findInstructions);
  const plain = skeleton(name);
  const others = context.snapshot.provider_tools.map((one) => one.provider_tool_name);
  const closed = context.input.changes.filter((change) => change.kind === 'closed').length;
  const lost = context.input.changes.filter(
    ({ kind }) => kind !== 'closed' && kind !== 'rewritten',
  );
  const hints = tool.provider_annotations;
  return [
    ...(instructions.length === 0
      ? []
      : [risk('instructions', `It speaks to the model: "${instructions[0]}".`)]),
    ...(context.known.modelToolNames.some((one) => skeleton(one) === plain)
      ? [risk('shadowing', 'Its name is that of a tool that is there already.')]
      : []),
    ...(others.some((other) => other !== name && skeleton(other) === plain)
      ? [risk('look-alike', 'Another tool of the server has nearly the same name.')]
      : []),
    ...(/^[\x21-\x7e]+$/u.test(name)
      ? []
      : [risk('look-alike', 'Its name has characters outside of ASCII.')]),
    ...(hints['destructiveHint'] === true
      ? [risk('destructive-hint', 'The server says that it may destroy something.')]
      : []),
    ...(hints['openWorldHint'] === true
      ? [risk('open-world-hint', 'The server says that it reaches the outside.')]
      : []),
    ...(closed === 0
      ? []
      : [
          risk(
            'open-object',
            `Its schema leaves ${closed} objects open; the proposal closes them.`,
          ),
        ]),
    ...(lost.length === 0
      ? []
      : [
          risk(
            'lossy-schema',
            `Its schema cannot be enforced as it is: ${lost
              .map(({ path }) => path)
              .slice(0, 5)
              .join(', ')}.`,
          ),
        ]),
    ...(context.input.schema === null
      ? [risk('no-schema', `No schema can be proposed: ${context.input.fault}.`)]
      : []),
    ...(tool.provider_description.length > 2000
      ? [risk('long-description', 'Its description is longer than a tool needs.')]
      : []),
  ];
}

/** Every text below `description` and `title`, where servers hide words from people who read the first line only. */
function textsOf(root: JsonObject): readonly string[] {
  const texts: string[] = [];
  const pending: unknown[] = [root];
  while (pending.length > 0 && texts.length < 512) {
    const value = pending.pop();
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) pending.push(...Object.values(value));
  }
  return texts;
}

/** What is left of a name once differences are gone that nobody sees: `Read_File`, `read-file`, `rеad_file`. */
function skeleton(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll(/[аеорсухіο01]/gu, (letter) => LOOK_ALIKES[letter] ?? letter);
}

const LOOK_ALIKES: { readonly [letter: string]: string } = {
  а: 'a',
  е: 'e',
  о: 'o',
  р: 'p',
  с: 'c',
  у: 'y',
  х: 'x',
  і: 'i',
  ο: 'o',
  '0': 'o',
  '1': 'l',
};

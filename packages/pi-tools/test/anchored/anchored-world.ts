import { readFile, writeFile } from 'node:fs/promises';
import type { JsonObject, JsonValue, ToolResult } from '@millforge/contracts';
import { anchoredTools } from '@millforge/pi-tools';
import { type ToolWorld, textOf, toolWorld } from '../tool-world.ts';

/** A workspace with the one file `f`, and the tools that go by anchors. */
export interface AnchoredWorld {
  /** All tools. */
  readonly tools: ToolWorld;
  /** The file. */
  readonly path: string;
  /** Reads it as the model does. */
  read(input?: JsonObject): Promise<string>;
  /** The anchors of its lines. */
  anchors(): Promise<readonly string[]>;
  /** Makes changes whose lines are given by their numbers. */
  edit(edits: readonly (JsonObject & { at: number; to?: number })[]): Promise<ToolResult>;
  /** Makes changes as they are. */
  send(edits: JsonValue): Promise<ToolResult>;
  content(): Promise<string>;
  bytes(): Promise<Buffer>;
}

export async function anchoredWorld(content: string | Buffer): Promise<AnchoredWorld> {
  const tools = await toolWorld({}, anchoredTools());
  const path = tools.path('f');
  await writeFile(path, content);
  const anchors = async () => {
    const { text } = await tools.call('read_anchored', { path: 'f' });
    return (text ?? '').split('\n').map((row) => row.split('│')[0] ?? '');
  };
  const send = (edits: JsonValue) => tools.call('edit_anchored', { path: 'f', edits });
  return {
    tools,
    path,
    anchors,
    send,
    async read(input = {}) {
      return textOf(await tools.call('read_anchored', { path: 'f', ...input }));
    },
    async edit(edits) {
      const known = await anchors();
      const anchorAt = (line: number) => known[line - 1] ?? '';
      return send(
        edits.map(({ at, to, ...rest }) => ({
          ...rest,
          at: anchorAt(at),
          ...(to === undefined ? {} : { to: anchorAt(to) }),
        })),
      );
    },
    content: () => readFile(path, 'utf8'),
    bytes: () => readFile(path),
  };
}

import type { OracleCase, ToolCall } from './oracle-case.ts';

type Extra = Partial<Omit<OracleCase, 'row' | 'title' | 'fixture' | 'calls'>> &
  Pick<ToolCall, 'abort' | 'host' | 'shell'>;

/** Makes cases of one tool on one fixture; each is titled by its row and its arguments. */
export function casesOf(
  tool: ToolCall['tool'],
  row: number,
  fixture: (folder: string) => void,
): (input: object, extra?: Extra) => OracleCase {
  return (input, { abort, host, shell, ...extra } = {}) => ({
    row,
    title: `${tool} ${shorten(JSON.stringify(input))}${host === undefined ? '' : ` with a ${host}`}`,
    fixture,
    calls: [
      {
        tool,
        input,
        ...(abort === undefined ? {} : { abort }),
        ...(host === undefined ? {} : { host }),
        ...(shell === undefined ? {} : { shell }),
      },
    ],
    isChange: tool === 'edit' || tool === 'write',
    isTimed: tool === 'bash',
    ...extra,
  });
}

function shorten(text: string): string {
  return text.length <= 160 ? text : `${text.slice(0, 150)}… (${text.length})`;
}

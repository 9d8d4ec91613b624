import type { ToolResult } from '@millforge/contracts';
import { keepHead } from '../truncate-text.ts';

/** Rows for the model, bounded, with the notices that say what is missing. */
export function showList(
  rows: readonly string[],
  notices: {
    /** About the limit on rows, if more than the limit were found. */
    readonly limit?: string | false;
    /** Other things that are missing. */
    readonly others?: readonly string[];
  },
): ToolResult {
  const head = keepHead(rows.join('\n'), { maxLines: Number.POSITIVE_INFINITY });
  const isCut = head.cutBy !== null;
  const said = [
    ...(notices.limit ? [notices.limit] : []),
    ...(isCut ? ['50.0KB limit reached'] : []),
    ...(notices.others ?? []),
  ];
  const truncated = isCut || Boolean(notices.limit);
  const text = said.length === 0 ? head.text : `${head.text}\n\n[${said.join('. ')}]`;
  return { kind: 'done', text, truncated, data: { truncated } };
}

/** `Skipped 3 unreadable path(s)`, for every kind of which there were some. */
export function skippedNotices(skipped: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(skipped)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `Skipped ${count} ${what}`);
}

import type { Tool } from '@millforge/contracts';
import type { PiToolOptions } from '../pi-tool-options.ts';
import { editAnchoredTool } from './edit-anchored.ts';
import { readAnchoredTool } from './read-anchored.ts';

/**
 * Makes the two tools that address lines by short digests of their content: read_anchored, edit_anchored.
 *
 * For models that copy old text badly, and for files whose lines repeat. They stand beside `read` and `edit`
 * and share their queue; Pi has no such tools.
 */
export function anchoredTools(
  options: Pick<PiToolOptions, 'durable' | 'homeDirectory' | 'onEffect'> = {},
): readonly Tool[] {
  return Object.freeze([readAnchoredTool(options), editAnchoredTool(options)]);
}

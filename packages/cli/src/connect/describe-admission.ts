import { MillforgeError } from '@millforge/contracts';
import { readAdmission } from './admission-document.ts';
import type { ConnectorFolder } from './connector-folder.ts';

/** One line for each tool that a connector's admission lets in; none where nothing is admitted. */
export async function describeAdmission(folder: ConnectorFolder): Promise<readonly string[]> {
  if (!(await folder.has('admission.json'))) return [];
  try {
    const { result } = await readAdmission(folder);
    return result.descriptors.map((descriptor, at) => {
      const { side_effect_class: effect, tool_id: id, tool_version: version } = descriptor;
      const asks = ASKS[result.records[at]?.approval_policy ?? 'forbidden'];
      return `connector tool ${id}@${version} (${effect}, ${asks})`;
    });
  } catch (error) {
    // What cannot be used can be accepted as little as it can do.
    if (!MillforgeError.is(error)) throw error;
    return [`an admission of ${folder.name} that cannot be used (${error.message})`];
  }
}

const ASKS = {
  none: 'asks nobody',
  millrace_explicit: 'asks before each call',
  operator_out_of_band: 'is agreed to elsewhere',
  forbidden: 'is never called',
} as const;

import { diffPlans, renderPlanDiff } from '@millforge/compiler/render';
import { readPlanFile } from '../documents/plan-file.ts';
import { writeJsonLine } from '../output/terminal.ts';
import type { Command } from './command.ts';

/** Says what differs in meaning between two plans, and what risk it adds. */
export const diffCommand: Command = {
  command: 'diff',
  positionals: ['BEFORE', 'AFTER'],
  summary: 'what changed in meaning between two plans, and what risk it adds',
  example: 'millforge diff old.compiled.json new.compiled.json',
  options: {
    json: { value: null, help: 'the differences as one JSON document' },
  },
  async run({ host }, args) {
    const [before = '', after = ''] = args.positionals;
    const diff = diffPlans(
      await readPlanFile(before, host.cwd),
      await readPlanFile(after, host.cwd),
    );
    if (args.has('json')) writeJsonLine(host.stdout, diff);
    else host.stdout.write(renderPlanDiff(diff));
    return 0;
  },
};

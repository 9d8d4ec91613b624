import { EXIT_FAILED } from '../output/exit-status.ts';
import { asCalled } from '../output/own-name.ts';
import { writeJsonLine, writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { DATA_OPTION, findData } from './data-place.ts';

/** Says what works on this machine and why not. */
export const doctorCommand: Command = {
  command: 'doctor',
  positionals: [],
  summary: 'say what works on this machine, and why not',
  example: 'millforge doctor',
  options: {
    json: { value: null, help: 'JSON Lines instead of text' },
    ...DATA_OPTION,
  },
  async run({ host, createMillforge }, args) {
    const data = await findData(host, args);
    await using millforge = createMillforge({ dataDir: data.directory, env: host.env });
    const findings = await millforge.doctor();
    for (const { subject, isRight, message: sentence } of findings) {
      const message = asCalled(sentence, host.env, data.flag);
      if (args.has('json')) {
        writeJsonLine(host.stdout, {
          kind: 'doctor_finding',
          schema_version: '1.0',
          subject,
          is_right: isRight,
          message,
        });
      } else {
        writeLine(host.stdout, `${isRight ? 'ok   ' : 'wrong'}  ${subject.padEnd(16)}  ${message}`);
      }
    }
    return findings.every((finding) => finding.isRight) ? 0 : EXIT_FAILED;
  },
};

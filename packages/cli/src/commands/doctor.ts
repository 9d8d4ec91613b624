import { userDataDirectory } from '../config/effective-config.ts';
import { EXIT_FAILED } from '../output/exit-status.ts';
import { writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';

/** Says what works on this machine and why not. */
export const doctorCommand: Command = {
  command: 'doctor',
  positionals: [],
  summary: 'say what works on this machine, and why not',
  example: 'millforge doctor',
  options: {
    json: { value: null, help: 'JSON Lines instead of text' },
    data: { value: 'DIR', help: 'data directory' },
  },
  async run({ host, createMillforge }, args) {
    const dataDir = await userDataDirectory(args.text('data'), host);
    await using millforge = createMillforge({ dataDir, env: host.env });
    const findings = await millforge.doctor();
    for (const finding of findings) {
      writeLine(
        host.stdout,
        args.has('json')
          ? JSON.stringify({
              subject: finding.subject,
              is_right: finding.isRight,
              message: finding.message,
            })
          : `${finding.isRight ? 'ok   ' : 'wrong'}  ${finding.subject.padEnd(16)}  ${finding.message}`,
      );
    }
    return findings.every((finding) => finding.isRight) ? 0 : EXIT_FAILED;
  },
};

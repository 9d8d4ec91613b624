import type { Sandbox } from '../sandbox.ts';
import type { CommandResult } from '../sandbox-result.ts';
import type { Canary } from './canary.ts';
import type { ReachedThings } from './reach-report.ts';

/** What one probe saw. */
export interface ProbeFindings {
  readonly reached: ReachedThings;
  readonly environmentNames: readonly string[] | null;
  readonly userId: number | null;
  readonly interfaces: readonly string[] | null;
  readonly visibleProcesses: number | null;
}

/** Runs programs that try to reach the canary; the last result tells what the sandbox claims. */
export async function probeCommands(
  sandbox: Sandbox,
  canary: Canary,
): Promise<{ readonly findings: ProbeFindings; readonly result: CommandResult }> {
  const { file, written } = canary;
  const targets = [file, written, String(process.pid)];
  const result = await sandbox.run({
    command: ['/bin/sh', '-c', SHELL_PROBE, 'sh', ...targets],
  });
  const said =
    result.kind === 'exited' ? parse(result.stdout) : new Map<string, readonly string[]>();
  const one = (name: string): string | null => said.get(name)?.[0] ?? null;
  const hasLooked = said.has('end');
  const connected = await connect(sandbox, canary);
  const findings: ProbeFindings = {
    reached: {
      host_file_read: hasLooked ? one('read') === canary.secret : null,
      // Judged from outside, whatever the program says.
      host_file_written: hasLooked ? await canary.wasWritten() : null,
      host_process: hasLooked ? said.has('process') : null,
      host_loopback: connected,
      process_start: hasLooked ? said.has('start') : null,
      user_namespace: said.has('no-unshare') || !hasLooked ? null : said.has('unshare'),
    },
    environmentNames: hasLooked ? (said.get('env') ?? []).toSorted() : null,
    userId: one('user') === null ? null : Number(one('user')),
    interfaces: hasLooked ? (said.get('interface') ?? []).toSorted() : null,
    visibleProcesses: one('count') === null ? null : Number(one('count')),
  };
  return { findings, result };
}

/** Whether a connection came in; null if no program that could make one ran. */
async function connect(sandbox: Sandbox, canary: Canary): Promise<boolean | null> {
  const script = `require('node:net').connect(${canary.port}, '127.0.0.1').on('connect', () => process.exit(0)).on('error', () => process.exit(9))`;
  const node = process.execPath;
  const result = await sandbox.run({ command: [node, '-e', script], readOnlyPaths: [node] });
  if (canary.wasConnected()) return true;
  return result.kind === 'exited' && result.exitCode === REFUSED ? false : null;
}

function parse(text: string): ReadonlyMap<string, readonly string[]> {
  const said = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [name = '', ...rest] = line.split(' ');
    said.set(name, [...(said.get(name) ?? []), rest.join(' ')]);
  }
  return said;
}

const REFUSED = 9;

/** Uses nothing but the shell, so that it runs in any image. */
const SHELL_PROBE = `
{ read -r line <"$1" && echo "read $line"; } 2>/dev/null
{ echo probe >"$2"; } 2>/dev/null
[ -e "/proc/$3/cmdline" ] && echo process
(exit 7); [ $? = 7 ] && echo start
while read -r key value rest; do [ "$key" = Uid: ] && echo "user $value"; done </proc/self/status
while IFS=: read -r name rest; do case "$name" in *'|'*) ;; *) echo "interface" $name ;; esac; done </proc/net/dev
count=0; for each in /proc/[0-9]*; do count=$((count + 1)); done; echo "count $count"
export -p | while read -r word name; do case "$word" in export|declare) name=\${name#-x }; echo "env \${name%%=*}" ;; esac; done
if command -v unshare >/dev/null 2>&1; then unshare -U true 2>/dev/null && echo unshare; else echo no-unshare; fi
echo end
`;

// Stands in for ssh: node cut-connection.mjs HOST COMMAND
// runs the command on this machine and cuts the connection as the file CUT says: whole, before, after, late
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const [host, command] = process.argv.slice(2);
// Git asks so what kind of ssh this is; the plainest kind.
if (host === '-G') process.exit(1);
const how = readFileSync(process.env.CUT, 'utf8').trim();
const isPush = command.startsWith('git-receive-pack');
if (how === 'down') {
  process.stderr.write('The host does not answer.\n');
  process.exit(255);
}
const cuts = isPush && how !== 'whole';
const child = spawn('/bin/sh', ['-c', command], {
  stdio: [cuts && how === 'before' ? 'ignore' : 'pipe', 'pipe', 'inherit'],
  // What the remote began goes on when this side is gone.
  detached: isPush && how === 'late',
});
if (child.stdin !== null) process.stdin.pipe(child.stdin);
process.stdin.on('error', () => {});
child.stdin?.on('error', () => {});

let isAdvertised = false;
child.stdout.on('data', (chunk) => {
  if (cuts && isAdvertised) return;
  process.stdout.write(chunk);
  // The refs of the remote end with a flush; all behind it is the answer to the push.
  if (chunk.toString('latin1').endsWith('0000')) isAdvertised = true;
});
child.on('close', (status) => process.exit(cuts ? 255 : (status ?? 255)));

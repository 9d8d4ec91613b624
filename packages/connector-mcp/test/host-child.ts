// Connects to a server, starts a call that never ends, and waits to be killed.
import { fixture, live, request } from './subject.ts';

const [mode = 'stubborn', mark = ''] = process.argv.slice(2);
const script = `${import.meta.dirname}/stdio-server.mjs`;
const transport = fixture(mode, { args: [script, mode, mark] });
await transport.discover(live());
void transport.call(request('hangs'), live());
process.stdout.write('connected\n');
setInterval(() => {}, 1000);

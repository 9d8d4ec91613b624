// The model server of the demo, in a process of its own so that it outlives the agent. It talks to its
// parent: its address first, and the number of requests whenever it is asked.
import { readFileSync } from 'node:fs';
import { startScriptedServer } from '../../packages/models/dist/testing.js';

const { replies } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const server = await startScriptedServer({ replies });
process.send({ url: server.url });
process.on('message', () => process.send({ requestCount: server.requestCount }));
process.on('disconnect', () => process.exit(0));

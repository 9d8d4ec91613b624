import { CASES, publishThrough } from './faulty-publication.ts';

// node publish-child.mjs CASE DIRECTORY COUNT   publishes, and dies at the COUNT-th moment

const [name, directory = '', count = '0'] = process.argv.slice(2);
const one = CASES.find((known) => known.name === name);
if (one === undefined) throw new Error(`There is no case ${String(name)}.`);
let left = Number(count);
const reach = (): void => {
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
};
await publishThrough(directory, one, { reach });

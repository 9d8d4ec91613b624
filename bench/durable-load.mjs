// node durable-load.mjs FOLDER   runs 64 runs at once on the trail of a folder until it is killed
import { openBenchKernel, operations } from './durable-run.mjs';

const kernel = await openBenchKernel(process.argv[2]);
for (let round = 0; ; round += 1) {
  await Promise.all(Array.from({ length: 64 }, () => operations(kernel, 'write', 40)));
  if (round === 0) process.stdout.write('under load\n');
}

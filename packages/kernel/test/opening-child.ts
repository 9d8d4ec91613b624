// Opens a trail and says what came of it; whoever starts it chooses the user.
import { MillforgeError } from '@millforge/contracts';
import { openKernel } from '@millforge/kernel';
import { crashClock, crashIds } from './crash/finish-goal.ts';

const [, , path = ''] = process.argv;
try {
  const kernel = await openKernel({ path, clock: crashClock, ids: crashIds });
  await kernel[Symbol.asyncDispose]();
  process.stdout.write(JSON.stringify({ code: null, message: 'opened' }));
} catch (error) {
  if (!MillforgeError.is(error)) throw error;
  process.stdout.write(JSON.stringify({ code: error.code, message: error.message }));
}

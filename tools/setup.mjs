// Makes a fresh clone ready, with nothing but Node and npm on the machine.
//   node tools/setup.mjs            install what is missing
//   node tools/setup.mjs --build    install, then build every package
import { prepareCheckout, SetupError } from './prepare-checkout.mjs';

try {
  await prepareCheckout({ build: process.argv.includes('--build') });
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

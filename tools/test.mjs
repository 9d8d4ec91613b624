// `npm test`: set-up, build, then the whole suite. Arguments go to vitest.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { prepareCheckout, SetupError } from './prepare-checkout.mjs';
import { startStep } from './progress.mjs';

const ROOT = dirname(import.meta.dirname);
const REPORT = join(ROOT, '.cache/vitest.json');
const COUNTS = join(ROOT, '.cache/test-counts');

rmSync(REPORT, { force: true });
rmSync(COUNTS, { force: true });
try {
  await prepareCheckout({ build: true });
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  finish({ passed: 0, failed: 1, skipped: 0 });
}
if (process.exitCode === undefined) finish(count(await runVitest(process.argv.slice(2))));

function finish({ passed, failed, skipped }) {
  mkdirSync(dirname(COUNTS), { recursive: true });
  writeFileSync(COUNTS, `${passed} ${failed} ${skipped}\n`);
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed === 0 ? 0 : 1;
}

async function runVitest(args) {
  const step = startStep('Running the tests');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`];
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise((resolve) => {
    child.on('error', () => resolve(1));
    child.on('close', (code) => resolve(code ?? 1));
  });
  let files = 0;
  await Promise.all([forward(child.stdout), forward(child.stderr)]);
  const code = await exit;
  step.end(code === 0 ? 'done' : 'failed');
  return code;

  // Files that pass are counted on the progress line, their slow tests are left out; whatever else
  // vitest says is shown. It colours its lines on a machine of CI, too.
  async function forward(stream) {
    for await (const line of createInterface({ input: stream })) {
      const plain = stripVTControlCharacters(line);
      if (plain.startsWith(' ✓')) step.note(`${++files} test files passed`);
      else if (!/^ {2,}✓/u.test(plain)) step.print(process.stdout.isTTY ? line : plain);
    }
  }
}

function count(exitCode) {
  if (!existsSync(REPORT)) return { passed: 0, failed: 1, skipped: 0 };
  const report = JSON.parse(readFileSync(REPORT, 'utf8'));
  for (const { name, assertionResults } of report.testResults) {
    for (const { status, fullName } of assertionResults) {
      if (status === 'passed' || status === 'failed') continue;
      console.log(`skipped here: ${relative(ROOT, name)}: ${fullName}`);
    }
  }
  // A file that does not even load has no test that could fail.
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  const failed = report.numFailedTests + broken.length;
  const isSilentFailure = failed === 0 && (exitCode !== 0 || report.numPassedTests === 0);
  return {
    passed: report.numPassedTests,
    failed: isSilentFailure ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

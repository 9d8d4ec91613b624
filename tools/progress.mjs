const EVERY_MS = 10_000;
const REWRITE_MS = 500;

/** The lines of the steps that run just now: a terminal shows them beside each other. */
const running = new Set();

/**
 * Announces a step when it starts and at least every ten seconds while it lasts. A terminal sees
 * one line that is rewritten, a pipe sees one line each time.
 */
export function startStep(title, output = process.stdout) {
  const started = performance.now();
  let detail = '';
  const seconds = () => Math.round((performance.now() - started) / 1000);
  const line = () => `${title} … ${seconds()} s${detail === '' ? '' : `, ${detail}`}`;
  const rewrite = (text) => output.write(`\r\u001b[2K${text.slice(0, (output.columns || 80) - 1)}`);
  const show = () =>
    output.isTTY
      ? rewrite([...running].map((step) => step()).join(' · '))
      : output.write(`${line()}\n`);

  running.add(line);
  if (output.isTTY) show();
  else output.write(`${title} …\n`);
  const timer = setInterval(show, output.isTTY ? REWRITE_MS : EVERY_MS);

  return {
    note(text) {
      detail = text;
    },
    /** Prints lines of the step's own without tearing the progress line. */
    print(text) {
      if (output.isTTY) rewrite('');
      output.write(`${text}\n`);
    },
    end(result) {
      clearInterval(timer);
      running.delete(line);
      const text = `${title}: ${result}, ${seconds()} s`;
      if (output.isTTY) rewrite('');
      output.write(`${text}\n`);
    },
  };
}

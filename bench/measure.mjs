// Rounds of alternating measurements, so that a machine that slows down slows both sides down.

/** The median of some numbers. */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Microseconds that one unit of `work` takes. */
export async function timed(work, units) {
  const start = performance.now();
  await work();
  return ((performance.now() - start) * 1000) / units;
}

/**
 * Measures two sides in turn, `rounds` times, after one round to warm up. Each side gives
 * microseconds per unit. The order changes with the round.
 */
export async function compare(ours, theirs, rounds) {
  await ours();
  await theirs();
  const samples = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) {
      const a = await ours();
      samples.push({ ours: a, theirs: await theirs() });
    } else {
      const b = await theirs();
      samples.push({ ours: await ours(), theirs: b });
    }
  }
  return {
    ratio: median(samples.map((sample) => sample.ours / sample.theirs)),
    ours: median(samples.map((sample) => sample.ours)),
    theirs: median(samples.map((sample) => sample.theirs)),
  };
}

/** One line of the report. */
export function report(name, { ratio, ours, theirs }, unit) {
  const line = [
    name.padEnd(44),
    `${ratio.toFixed(2)} ×`.padStart(10),
    `${ours.toFixed(1)} µs`.padStart(14),
    `${theirs.toFixed(1)} µs`.padStart(14),
    `  per ${unit}`,
  ];
  process.stdout.write(`${line.join('')}\n`);
}

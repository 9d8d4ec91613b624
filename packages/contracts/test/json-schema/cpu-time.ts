/** Milliseconds of processor time that an act takes; a busy machine makes it no longer. */
export function cpuTimeOf(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Lets the rest of the process go on. */
export function givingWay(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

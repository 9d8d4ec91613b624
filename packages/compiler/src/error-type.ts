/** The class name of a thrown value; its text may hold anything and stays out of reports. */
export function errorType(error: unknown): string {
  try {
    const name: unknown = error instanceof Error ? error.constructor.name : typeof error;
    return typeof name === 'string' && /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name) ? name : 'Error';
  } catch {
    // What was thrown may itself throw when it is looked at.
    return 'Error';
  }
}

/** What a connector is called in ids and names of its tools. */
export function connectorWord(connectorId: string): string {
  return wordOf(connectorId.replace(/^connector[._-]/u, ''));
}

/** A name in the letters that ids have; `tool` where nothing is left of it. */
export function wordOf(name: string): string {
  const word = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '_')
    .replaceAll(/^[_0-9]+|_+$/gu, '')
    .slice(0, 48);
  return word === '' ? 'tool' : word.replace(/_+$/u, '');
}

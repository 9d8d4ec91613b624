/** A name without case and separators, which say little about what was meant; cut past any tool's length. */
export function foldName(name: string): string {
  return name
    .slice(0, 128)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
}

/** The words of a name, split at separators and humps, in lower case. */
export function nameWords(name: string): readonly string[] {
  return name
    .slice(0, 128)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

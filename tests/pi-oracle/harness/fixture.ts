import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Content of a file, target of a link, or a mode for either. */
export type Entry =
  | string
  | Uint8Array
  | { readonly link: string }
  | { readonly content: string; readonly mode: number }
  | { readonly folder: number };

/** Makes files by name; a name with a slash at its end is a folder. */
export function files(entries: Readonly<Record<string, Entry>>): (folder: string) => void {
  return (folder) => {
    for (const [name, entry] of Object.entries(entries)) {
      const path = join(folder, name);
      mkdirSync(name.endsWith('/') ? path : dirname(path), { recursive: true });
      if (name.endsWith('/')) {
        if (typeof entry === 'object' && 'folder' in entry) chmodSync(path, entry.folder);
      } else if (typeof entry === 'string' || entry instanceof Uint8Array) {
        writeFileSync(path, entry);
      } else if ('link' in entry) {
        symlinkSync(entry.link, path);
      } else if ('content' in entry) {
        writeFileSync(path, entry.content);
        chmodSync(path, entry.mode);
      }
    }
  };
}

/** Lines `L1` to `Ln`, each ended. */
export function lines(count: number): string {
  return Array.from({ length: count }, (_, index) => `L${index + 1}\n`).join('');
}

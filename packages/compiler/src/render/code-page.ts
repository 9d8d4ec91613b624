/** Path of the page of a code, below the folder of all pages: `R/MF-R002.md`. */
export function codePage(code: string): string {
  // A code of another product has no page; its text must still not lead out of the folder.
  const name = code.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  return `${name.charAt('MF-'.length) || '_'}/${name}.md`;
}

/** Folder of all pages, relative to the root of the documentation's repository. */
export const CODE_PAGES = 'docs/codes';

import type { JsonValue, Redactor } from '@millforge/contracts';

/** Folders of this host by what is shown in their place: `/home/ada` by `~`. */
export type HostFolders = ReadonlyMap<string, string>;

/** A redactor that shows folders of the host by other names, too; everything else stays as it is. */
export function hideFolders(redactor: Redactor, folders: HostFolders): Redactor {
  // The longest first: one may lie inside another.
  const known = [...folders]
    .map(([folder, shown]) => ({ folder: folder.replace(/\/+$/, ''), shown }))
    .filter(({ folder }) => folder.length > 1)
    .toSorted((a, b) => b.folder.length - a.folder.length);
  if (known.length === 0) return redactor;
  const hide = (text: string): string =>
    known.reduce((left, { folder, shown }) => replaceFolder(left, folder, shown), text);
  const hideIn = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return hide(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(hideIn);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hideIn(item)]));
  };
  const { unfinished = redactor.text } = redactor;
  return Object.freeze({
    text: (text: string) => hide(redactor.text(text)),
    value: (value: JsonValue) => hideIn(redactor.value(value)),
    unfinished: (text: string) => hide(unfinished(text)),
  });
}

/** Replaces a folder where it stands as a whole path or as the beginning of one. */
function replaceFolder(text: string, folder: string, shown: string): string {
  let at = text.indexOf(folder);
  if (at === -1) return text;
  let result = '';
  let copied = 0;
  for (; at !== -1; at = text.indexOf(folder, at)) {
    const end = at + folder.length;
    if (isInsideName(text[at - 1]) || /^[\w-]|^\.\w/.test(text.slice(end, end + 2))) {
      at = end;
      continue;
    }
    result += text.slice(copied, at) + shown;
    copied = end;
    at = end;
  }
  return result + text.slice(copied);
}

function isInsideName(character: string | undefined): boolean {
  return character !== undefined && /[\w-]/.test(character);
}

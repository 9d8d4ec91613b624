/** Whether a path names something in the tree: made up by hand, a tree of git may hold `..`, `/etc` or nothing at all. */
export function isTreePath(path: string): boolean {
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

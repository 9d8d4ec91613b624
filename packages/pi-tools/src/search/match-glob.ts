import picomatch from 'picomatch';

/** Decides whether a path below the search root is meant; folders come without a final slash. */
export type GlobMatch = (relative: string) => boolean;

/**
 * Compiles a glob. Without a slash it is about the name at any depth, with one about the path from the
 * search root. Case counts; hidden names match like any other.
 */
export function matchGlob(glob: string, options: { readonly mayNegate?: boolean } = {}): GlobMatch {
  const isNegated = options.mayNegate === true && glob.startsWith('!');
  const pattern = (isNegated ? glob.slice(1) : glob).replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
  if (pattern === '') return () => !isNegated;
  const isMatch = picomatch(pattern, { dot: true, nonegate: true, noextglob: true });
  const isAboutName = !pattern.includes('/');
  return (relative) => {
    const subject = isAboutName ? relative.slice(relative.lastIndexOf('/') + 1) : relative;
    return isMatch(subject) !== isNegated;
  };
}

/**
 * Whether git takes a name for its own on any of its file systems, so that no patch can hold it: `.git` in whatever
 * letters, `git~1`, `.git.`, with marks in it that nobody sees; of a link also `.gitmodules`.
 */
export function isGitName(name: string, type: 'file' | 'directory' | 'link'): boolean {
  const plain = name.replaceAll(UNSEEN, '').toLowerCase();
  return DOT_GIT.test(plain) || (type === 'link' && DOT_GITMODULES.test(plain));
}

// Characters that HFS+ passes over; NTFS passes over blanks and dots at the end, and what follows a colon.
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;
const DOT_GIT = /^(?:\.git|git~1)[ .]*(?:[:\\]|$)/;
const DOT_GITMODULES = /^(?:\.gitmodules|gitmod~[1-4]|gi7eba~[1-9])[ .]*(?:[:\\]|$)/;

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Fills `bin` with the programs that Pi starts; gives why one is missing, by the tool that needs it. */
export async function installPrograms(
  bin: string,
): Promise<Readonly<Record<'grep' | 'find', string | null>>> {
  mkdirSync(bin, { recursive: true });
  return { grep: await installRg(bin), find: installFd(bin) };
}

async function installRg(bin: string): Promise<string | null> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    symlinkSync(rgPath, join(bin, 'rg'));
    return existsSync(join(bin, 'rg')) ? null : NO_RG;
  } catch {
    // The program is an optional dependency, which not every machine has.
    return NO_RG;
  }
}

function installFd(bin: string): string | null {
  const fd = ['fdfind', 'fd'].find((name) => spawnSync(name, ['--version']).status === 0);
  if (fd === undefined) return 'fd-find is not installed';
  const help = spawnSync(fd, ['--help'], { encoding: 'utf8' }).stdout;
  const drop = help.includes('no-require-git') ? '' : '[ "$one" = --no-require-git ] && continue; ';
  // Debian 12 has an fd that does not know the flag; in a repository it behaves as if it were set.
  const script = `#!/bin/bash\nfor one in "$@"; do ${drop}kept+=("$one"); done\nexec ${fd} "\${kept[@]}"\n`;
  writeFileSync(join(bin, 'fd'), script);
  chmodSync(join(bin, 'fd'), 0o755);
  return null;
}

const NO_RG = 'the package @vscode/ripgrep has no program for this machine';

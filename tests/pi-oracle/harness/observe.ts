import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Observed } from './compare.ts';
import type { OracleCase } from './oracle-case.ts';
import { runSide, type SideRequest } from './run-side.ts';

/** One of the three: Pi, and both profiles. */
export interface Party {
  readonly name: 'pi' | 'strict' | 'default';
  /** Folder of its fixtures; as long as those of the others. */
  readonly folder: string;
}

/** Makes every case on its own fixture and gives what came of it, in the order of the cases. */
export async function observe(
  party: Party,
  cases: readonly OracleCase[],
  bin: string,
): Promise<Observed[]> {
  const { folder } = party;
  const mine = cases.map((one, index) => {
    const root = join(folder, `case-${String(index).padStart(4, '0')}`);
    mkdirSync(root, { recursive: true });
    one.fixture(root);
    return {
      one,
      root,
      cwd: one.cwd === undefined ? root : join(root, one.cwd),
      id: String(index),
    };
  });
  const requests = mine.map(({ one, cwd, root, id }): SideRequest & { isBounded: boolean } => ({
    id,
    cwd,
    profile: party.name === 'strict' ? 'strict' : 'default',
    calls: one.calls.map((call) =>
      call.shell === undefined ? call : { ...call, shell: call.shell.replace('<cwd>', root) },
    ),
    isParallel: one.isParallel ?? false,
    isBounded: one.isBounded ?? false,
  }));
  const home = join(folder, 'home');
  const temporary = join(folder, 'temporary');
  mkdirSync(home);
  mkdirSync(temporary);
  chmodSync(temporary, 0o777);
  const isRoot = process.getuid?.() === 0;
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TMPDIR: temporary,
    XDG_CONFIG_HOME: home,
    LC_ALL: 'C',
    PI_OFFLINE: '1',
    PI_CODING_AGENT_DIR: join(bin, '..'),
  };
  const side = { program: party.name === 'pi' ? 'pi' : 'millforge', environment, folder } as const;
  const answers = new Map([
    ...(await runSide(
      { ...side, uid: null },
      requests.filter(({ isBounded }) => !isBounded),
    )),
    ...(await runSide(
      { ...side, uid: isRoot ? NOBODY : null },
      requests.filter(({ isBounded }) => isBounded),
    )),
  ]);
  return mine.map(({ one, root, id }) => ({
    results: answers.get(id) ?? [],
    files: one.isChange ? listTree(root) : [],
    places: [
      [root, '<cwd>'],
      [home, '<home>'],
      [temporary, '<tmp>'],
    ],
  }));
}

/** Every entry below a folder, with mode and content. */
function listTree(folder: string, prefix = ''): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .toSorted()
    .flatMap((name) => {
      const path = join(folder, name);
      const stats = lstatSync(path);
      const label = `${prefix}${name} ${(stats.mode & 0o777).toString(8)}`;
      if (stats.isSymbolicLink()) return [`${prefix}${name} -> ${readlinkSync(path)}`];
      if (stats.isDirectory()) return [label, ...listTree(path, `${prefix}${name}/`)];
      return [`${label} ${readFileSync(path).toString('latin1')}`];
    });
}

const NOBODY = 65_534;

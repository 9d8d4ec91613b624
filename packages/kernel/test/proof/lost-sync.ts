import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';

const run = promisify(execFile);

/** How far a disk that lost everything which was not synced falls behind what was acknowledged. */
export interface LostSync {
  /** Acknowledged writes that were looked at. */
  readonly acknowledged: number;
  /** Those that were gone after the power failed right behind their acknowledgement. */
  readonly lost: number;
}

/**
 * Traces the system calls of a process that writes and acknowledges, and cuts the power after each acknowledgement:
 * of every file only what was written before its last sync is left.
 */
export async function loseUnsynced(options: {
  readonly child: string;
  readonly root: string;
  readonly synchronous: 'FULL' | 'NORMAL';
}): Promise<LostSync> {
  const { child, root, synchronous } = options;
  const directory = join(root, synchronous);
  mkdirSync(directory, { recursive: true });
  const log = join(root, `${synchronous}.strace`);
  await run(
    'strace',
    [
      '-f',
      '-xx',
      '-s',
      '200000',
      '-o',
      log,
      '-e',
      `trace=${CALLS.join(',')}`,
      process.execPath,
      child,
      directory,
      synchronous,
    ],
    { maxBuffer: 1 << 26 },
  );
  const disk = createDisk(directory);
  let acknowledged = 0;
  let lost = 0;
  for (const line of readFileSync(log, 'utf8').split('\n')) {
    const said = disk.replay(line);
    if (said === null) continue;
    acknowledged += 1;
    const after = join(root, `${synchronous}-after-${acknowledged}`);
    disk.writeDurable(after);
    if (!hasNote(join(after, 'trail.db'), said)) lost += 1;
    rmSync(after, { recursive: true, force: true });
  }
  return { acknowledged, lost };
}

const CALLS = ['openat', 'close', 'pwrite64', 'write', 'fdatasync', 'fsync', 'ftruncate'];

interface Disk {
  /** Applies one traced call; gives what was acknowledged, if it was an acknowledgement. */
  replay(line: string): string | null;
  /** Writes what a disk has that lost everything unsynced. */
  writeDurable(directory: string): void;
}

/** Files as they are written, and as they are on the disk for sure. */
function createDisk(directory: string): Disk {
  const open = new Map<number, string>();
  const written = new Map<string, Buffer>();
  const durable = new Map<string, Buffer>();
  const write = (name: string, at: number, bytes: Buffer): void => {
    const before = written.get(name) ?? Buffer.alloc(0);
    const after = Buffer.alloc(Math.max(before.length, at + bytes.length));
    before.copy(after);
    bytes.copy(after, at);
    written.set(name, after);
  };
  return {
    replay(line) {
      const call = /^\d+\s+(\w+)\((.*)\)\s+= (-?\d+)/.exec(line);
      if (call === null) return null;
      const [, name = '', rest = '', result = ''] = call;
      const strings = [...rest.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) =>
        Buffer.from(hex.replaceAll('\\x', ''), 'hex'),
      );
      const fd = Number(/^\d+/.exec(rest)?.[0] ?? -1);
      switch (name) {
        case 'openat': {
          const path = strings[0]?.toString() ?? '';
          open.delete(Number(result));
          if (path.startsWith(`${directory}/trail.db`) && !path.endsWith('-shm')) {
            open.set(Number(result), basename(path));
          }
          return null;
        }
        case 'close':
          open.delete(fd);
          return null;
        case 'ftruncate': {
          const file = open.get(fd);
          const size = Number(/, (\d+)/.exec(rest)?.[1] ?? 0);
          if (file !== undefined) {
            written.set(
              file,
              Buffer.from((written.get(file) ?? Buffer.alloc(0)).subarray(0, size)),
            );
          }
          return null;
        }
        case 'fsync':
        case 'fdatasync': {
          const file = open.get(fd);
          if (file !== undefined) durable.set(file, Buffer.from(written.get(file) ?? []));
          return null;
        }
        case 'pwrite64': {
          const file = open.get(fd);
          const at = Number(/, (\d+)$/.exec(rest)?.[1] ?? 0);
          if (file !== undefined) write(file, at, strings[0] ?? Buffer.alloc(0));
          return null;
        }
        default: {
          const text = strings[0]?.toString() ?? '';
          return fd === 1 && text.startsWith('acknowledged ') ? text.slice(13).trim() : null;
        }
      }
    },
    writeDurable(target) {
      mkdirSync(target, { recursive: true });
      for (const name of ['trail.db', 'trail.db-wal']) {
        writeFileSync(join(target, name), durable.get(name) ?? Buffer.alloc(0));
      }
    },
  };
}

function hasNote(path: string, key: string): boolean {
  const database = new Database(path);
  try {
    const found = database
      .prepare('SELECT count(*) FROM operations WHERE key = ?')
      .pluck()
      .get(key);
    return Number(found) === 1;
  } catch {
    // A file that was never synced is none.
    return false;
  } finally {
    database.close();
  }
}

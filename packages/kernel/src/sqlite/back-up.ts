import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
} from 'node:fs';
import { copyFile, mkdir, open } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { type Ids, MillforgeError, sha256 } from '@millforge/contracts';
import type { ArtifactFiles } from '../artifacts/artifact-files.ts';
import { systemFault } from '../system-fault.ts';
import type { Database } from './database.ts';
import type { Driver } from './driver.ts';
import { BACKUP_ID } from './migrate.ts';
import { sqlFault } from './sql-fault.ts';
import { beginCopy } from './unfinished-copy.ts';

/** What a backup holds. */
export interface BackupFacts {
  /** The directory. */
  readonly directory: string;
  /** Goals of all tenants. */
  readonly goals: number;
  /** Trail records of all tenants. */
  readonly records: number;
  /** Artifacts whose bytes were copied. */
  readonly artifacts: number;
}

/**
 * Copies an open trail, and the artifacts that it names, into a directory that is not there yet.
 *
 * Others go on writing meanwhile: the copy is one moment of the file. It is complete or it is not there; what a killed
 * process left half done beside it is taken away by the next copy to the same place.
 */
export async function backUp(
  parts: {
    readonly db: Database;
    readonly driver: Driver;
    readonly ids: Ids;
    readonly artifacts: ArtifactFiles;
  },
  target: string,
): Promise<BackupFacts> {
  if (typeof target !== 'string' || target === '' || target.includes('\0')) {
    throw new MillforgeError(
      'kernel/path-invalid',
      'The backup has no path; name a directory that does not exist yet.',
    );
  }
  const directory = resolve(target);
  if (directory.startsWith(`${resolve(parts.artifacts.directory)}${sep}`)) {
    throw new MillforgeError(
      'kernel/path-invalid',
      `${directory} lies among the artifacts themselves; name a directory outside of them.`,
    );
  }
  if (isThere(directory)) {
    throw new MillforgeError(
      'kernel/path-invalid',
      `${directory} is there already; name a directory that does not exist yet.`,
    );
  }
  const copy = beginCopy(parts, directory);
  const unfinished = copy.directory;
  try {
    const path = join(unfinished, 'trail.db');
    parts.db.copyInto(path);
    chmodSync(path, 0o600);
    const facts = await finishCopy(parts, { path, unfinished });
    syncDirectory(unfinished);
    renameSync(unfinished, directory);
    syncDirectory(dirname(directory));
    return { directory, ...facts };
  } catch (error) {
    throw sqlFault(systemFault(error, directory), directory);
  } finally {
    copy.end();
  }
}

/** Whether something has the name already, if only a link that leads nowhere. */
function isThere(directory: string): boolean {
  try {
    return lstatSync(directory, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A path that leads nowhere is refused, with the reason, by whoever makes the folders of it.
    return false;
  }
}

/** Marks the copy as one, and copies what it names; the copy itself says what that is. */
async function finishCopy(
  { driver, artifacts }: { readonly driver: Driver; readonly artifacts: ArtifactFiles },
  { path, unfinished }: { readonly path: string; readonly unfinished: string },
): Promise<Omit<BackupFacts, 'directory'>> {
  const copy = driver(path, { timeout: 0 });
  try {
    copy.pragma('synchronous = FULL');
    copy.pragma(`application_id = ${BACKUP_ID}`);
    const count = (sql: string): number => Number(copy.prepare(sql).pluck().get());
    let copied = 0;
    for (const row of copy.prepare(NAMED).raw().iterate()) {
      const [tenant, digest, isHere] = Array.isArray(row) ? row.map(String) : [];
      if (tenant === undefined || digest === undefined) continue;
      const from = artifacts.pathOf(tenant, digest);
      if (!existsSync(from)) {
        // A digest in a contract need not be that of an artifact, and an imported goal came without the bytes.
        if (isHere !== '1') continue;
        throw new MillforgeError(
          'artifact/not-found',
          `The artifact ${digest} of a goal is gone, so it cannot be backed up; restore it from an older backup.`,
        );
      }
      const to = join(unfinished, 'artifacts', from.slice(artifacts.directory.length + 1));
      await copyVerified(from, to, digest);
      copied += 1;
    }
    return {
      goals: count('SELECT count(*) AS count FROM goals'),
      records: count('SELECT count(*) AS count FROM trail'),
      artifacts: copied,
    };
  } finally {
    copy.close();
  }
}

/**
 * Every digest that a goal names as an artifact, or that stands in its contract as a text of its own; and whether a
 * goal that ran here saved it.
 */
const NAMED = `SELECT tenant, sha256, max(is_here) FROM (
  SELECT tenant, sha256, goal NOT IN (SELECT goal FROM imports) AS is_here FROM artifacts
  UNION ALL SELECT goals.tenant, part.value, 0 FROM goals
    JOIN payloads ON payloads.tenant = goals.tenant AND payloads.sha256 = goals.contract_sha256,
    json_tree(CAST(payloads.bytes AS TEXT)) AS part
   WHERE part.type = 'text' AND length(part.value) = 64 AND part.value NOT GLOB '*[^0-9a-f]*'
  ) GROUP BY tenant, sha256`;

async function copyVerified(from: string, to: string, digest: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await copyFile(from, to);
  const file = await open(to, 'r+');
  try {
    const bytes = await file.readFile();
    if (sha256(bytes) !== digest) {
      throw new MillforgeError(
        'artifact/corrupt',
        `The artifact ${digest} does not have the bytes that its name says, so it cannot be backed up; restore it from an older backup.`,
      );
    }
    await file.sync();
  } finally {
    await file.close();
  }
  syncDirectory(dirname(to));
}

function syncDirectory(directory: string): void {
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { copyFile, mkdir, open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Ids, MillforgeError, sha256 } from '@millforge/contracts';
import type { ArtifactFiles } from '../artifacts/artifact-files.ts';
import { makeFolder } from '../make-folder.ts';
import type { Database } from './database.ts';
import type { Driver } from './driver.ts';
import { BACKUP_ID } from './migrate.ts';
import { sqlFault } from './sql-fault.ts';

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
 * Others go on writing meanwhile: the copy is one moment of the file. It is complete or it is not there.
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
  const directory = resolve(target);
  if (existsSync(directory)) {
    throw new MillforgeError(
      'kernel/path-invalid',
      `${directory} is there already; name a directory that does not exist yet.`,
    );
  }
  const unfinished = `${directory}.${parts.ids.newId('unfinished')}`;
  makeFolder(unfinished, 0o700);
  try {
    const path = join(unfinished, 'trail.db');
    parts.db.copyInto(path);
    const facts = await finishCopy(parts, { path, unfinished });
    syncDirectory(unfinished);
    renameSync(unfinished, directory);
    syncDirectory(dirname(directory));
    return { directory, ...facts };
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw sqlFault(error, directory);
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
      const [tenant, digest] = Array.isArray(row) ? row.map(String) : ['', ''];
      if (tenant === undefined || digest === undefined) continue;
      const from = artifacts.pathOf(tenant, digest);
      // A digest in a contract need not be that of an artifact.
      if (!existsSync(from)) continue;
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

/** Every digest that a goal names as an artifact, or that stands in its contract as a text of its own. */
const NAMED = `SELECT DISTINCT tenant, sha256 FROM artifacts
  UNION SELECT DISTINCT goals.tenant, part.value FROM goals
    JOIN payloads ON payloads.tenant = goals.tenant AND payloads.sha256 = goals.contract_sha256,
    json_tree(CAST(payloads.bytes AS TEXT)) AS part
   WHERE part.type = 'text' AND length(part.value) = 64 AND part.value NOT GLOB '*[^0-9a-f]*'`;

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

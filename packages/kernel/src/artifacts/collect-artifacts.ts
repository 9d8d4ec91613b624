import { mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Ids, isSha256 } from '@millforge/contracts';
import type { Database, Transaction } from '../sqlite/database.ts';
import { type ArtifactFiles, tenantFolder } from './artifact-files.ts';

/** What a collection removed. */
export interface CollectionFacts {
  /** Files that were removed. */
  readonly files: number;
  /** Bytes that were freed. */
  readonly bytes: number;
  /** Files that were kept, because something refers to them or they are young. */
  readonly kept: number;
}

/**
 * Removes bytes that nothing refers to: no goal, no contract, no open attempt, and that are older than `graceMs`.
 *
 * Decides under the write lock, where nothing can begin to refer to them, and only moves them aside there; what was
 * moved is removed after the commit.
 */
export async function collectArtifacts(
  {
    db,
    clock,
    ids,
    artifacts,
  }: {
    readonly db: Database;
    readonly clock: Clock;
    readonly ids: Ids;
    readonly artifacts: ArtifactFiles;
  },
  { graceMs }: { readonly graceMs: number },
): Promise<CollectionFacts> {
  const trash = join(artifacts.directory, 'trash', ids.newId('collection'));
  const found = await db.write('collect-artifacts', (tx) => {
    dropEndedPins(tx);
    const before = clock.now() - graceMs;
    let files = 0;
    let bytes = 0;
    let kept = 0;
    const referred = referredIn(tx);
    for (const { path, name, tenant } of filesOf(artifacts.directory, tenantsOf(tx))) {
      const { mtimeMs, size } = statSync(path);
      if (mtimeMs > before || (tenant !== null && referred.has(`${tenant} ${name}`))) {
        kept += 1;
        continue;
      }
      mkdirSync(trash, { recursive: true, mode: 0o700 });
      renameSync(path, join(trash, `${files}`));
      files += 1;
      bytes += size;
    }
    return { files, bytes, kept };
  });
  await rm(join(artifacts.directory, 'trash'), { recursive: true, force: true });
  return found;
}

/** An attempt that has ended saves nothing any more. */
function dropEndedPins(tx: Transaction): void {
  tx.run(
    `DELETE FROM pins WHERE tenant IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM attempts WHERE attempts.goal = pins.goal AND attempts.task_id = pins.task_id
          AND attempts.number = pins.number AND attempts.state IN ('admitted', 'running', 'suspended'))`,
  );
}

/** Everything that something refers to, by tenant: what goals saved, what attempts pin, what contracts name. */
function referredIn(tx: Transaction): ReadonlySet<string> {
  const referred = new Set<string>();
  for (const sql of REFERRED) {
    for (const row of tx.all(sql)) {
      referred.add(`${String(row['tenant'])} ${String(row['sha256'])}`);
    }
  }
  return referred;
}

const REFERRED = [
  'SELECT DISTINCT tenant, sha256 FROM artifacts',
  'SELECT DISTINCT tenant, sha256 FROM pins',
  `SELECT DISTINCT goals.tenant AS tenant, part.value AS sha256 FROM goals
     JOIN payloads ON payloads.tenant = goals.tenant AND payloads.sha256 = goals.contract_sha256,
     json_tree(CAST(payloads.bytes AS TEXT)) AS part
    WHERE part.type = 'text' AND length(part.value) = 64`,
];

/** The tenants that have goals, by the names of their directories. */
function tenantsOf(tx: Transaction): ReadonlyMap<string, string> {
  return new Map(
    tx
      .all('SELECT DISTINCT tenant FROM goals')
      .map((row) => [tenantFolder(String(row['tenant'])), String(row['tenant'])]),
  );
}

/** Every stored file, and what saves that were killed left behind. */
function* filesOf(
  directory: string,
  tenants: ReadonlyMap<string, string>,
): Iterable<{ readonly path: string; readonly name: string; readonly tenant: string | null }> {
  for (const home of list(directory)) {
    if (home === 'trash') continue;
    for (const folder of list(join(directory, home))) {
      for (const file of list(join(directory, home, folder))) {
        const path = join(directory, home, folder, file);
        const name = `${folder}${file}`;
        if (folder === 'incoming') yield { path, name, tenant: null };
        else if (isSha256(name)) yield { path, name, tenant: tenants.get(home) ?? null };
      }
    }
  }
}

function list(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // No artifact was saved yet, or what lies there is no directory.
    return [];
  }
}

import type { Clock } from '@millforge/contracts';
import type { KernelStore } from '@millforge/kernel/store';
import { createOwnerLocks } from '../../src/owner/owner-lock.ts';
import { loadDriver } from '../../src/sqlite/driver.ts';
import { MIGRATIONS } from '../../src/sqlite/embedded-migrations.ts';
import { openDatabase } from '../../src/sqlite/open-database.ts';
import { createStore } from '../../src/store/create-store.ts';

/** Opens the store of a file, as a process of its own has it, without a kernel on it. */
export async function openStore(path: string, clock: Clock): Promise<KernelStore> {
  const driver = await loadDriver();
  const locks = createOwnerLocks(path, driver);
  const db = await openDatabase({
    path,
    driver,
    clock,
    migrations: MIGRATIONS,
    check: false,
    adopt: false,
    lockTimeoutMs: 5000,
    random: Math.random,
    failpoint: undefined,
    isAlive: locks.isAlive,
  });
  return createStore({ db, clock, locks });
}

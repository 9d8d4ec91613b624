import { dirname, join, resolve } from 'node:path';
import type { Kernel, OpenKernelOptions } from './kernel.ts';
import { kernelError } from './kernel-error.ts';
import { startKernel, startOnlooker } from './open-kernel-on-store.ts';
import { createOwnerLocks } from './owner/owner-lock.ts';
import { type Driver, loadDriver } from './sqlite/driver.ts';
import { MIGRATIONS } from './sqlite/embedded-migrations.ts';
import { openDatabase } from './sqlite/open-database.ts';
import { openToLook } from './sqlite/open-to-look.ts';
import { randomFrom } from './sqlite/random.ts';
import { adoptBackup } from './store/adopt-backup.ts';
import { createStore } from './store/create-store.ts';

/**
 * Opens the trail, making it when it is missing, and registers this process as an owner.
 *
 * Loads the SQLite driver on first use. Whoever opens a kernel disposes of it. A file that is refused is
 * left as it was; every refusal is a `kernel/…` error that says what to do.
 */
export async function openKernel(options: OpenKernelOptions): Promise<Kernel> {
  return openKernelOn(await loadDriver(), options);
}

/** Opens the trail through a driver that is given; tests give one that fails or dies where they say. */
export async function openKernelOn(driver: Driver, options: OpenKernelOptions): Promise<Kernel> {
  const { clock, ids, failpoint } = options;
  if (typeof options.path !== 'string' || options.path === '') {
    throw kernelError(
      'kernel/path-invalid',
      'The trail has no path; name its file, for example trail.db.',
    );
  }
  const path = resolve(options.path);
  const locks = createOwnerLocks(path, driver);
  const artifacts = join(dirname(path), 'artifacts');
  const opening = {
    path,
    driver,
    clock,
    migrations: MIGRATIONS,
    check: options.check ?? false,
    adopt: options.adopt ?? false,
    lockTimeoutMs: options.lockTimeoutMs ?? 5000,
    random: randomFrom(ids.newId('wait')),
    failpoint,
    isAlive: locks.isAlive,
  };
  if (options.readOnly === true) {
    const db = await openToLook(opening);
    const store = createStore({ db, clock, locks });
    return startOnlooker({ ...options, store, artifacts }, { db, driver, isAlive: locks.isAlive });
  }
  const db = await openDatabase(opening);
  try {
    const store = createStore({ db, clock, locks });
    return await startKernel(
      { ...options, store, artifacts },
      {
        file: { db, driver, isAlive: locks.isAlive },
        async prepare(ownerId) {
          if (options.adopt === true) await adoptBackup({ db, clock }, ownerId);
        },
      },
    );
  } catch (error) {
    locks.release();
    db.close();
    throw error;
  }
}

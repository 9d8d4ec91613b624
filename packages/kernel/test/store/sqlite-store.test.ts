import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@millforge/contracts';
import type { KernelStore } from '@millforge/kernel/store';
import { kernelStoreConformance } from '@millforge/kernel/testing';
import { afterAll, beforeAll, test } from 'vitest';
import { createOwnerLocks } from '../../src/owner/owner-lock.ts';
import { loadDriver } from '../../src/sqlite/driver.ts';
import { MIGRATIONS } from '../../src/sqlite/embedded-migrations.ts';
import { openDatabase } from '../../src/sqlite/open-database.ts';
import { createStore } from '../../src/store/create-store.ts';
import { volatileFolder } from '../crash/moments.ts';
import { temporaryDirectory } from '../fixture.ts';
import { makeTemplate } from '../proof/template.ts';

let root = '';
let template = '';

beforeAll(async () => {
  root = volatileFolder('millforge-store-');
  template = await makeTemplate(root);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

kernelStoreConformance({
  test,
  async createStore({ clock }) {
    const path = join(temporaryDirectory(), 'trail.db');
    copyFileSync(template, path);
    const handles: KernelStore[] = [];
    const another = async (): Promise<KernelStore> => {
      const store = await openStore(path, clock);
      handles.push(store);
      return store;
    };
    return {
      store: await another(),
      another,
      async close() {
        for (const store of handles) await store.close();
      },
    };
  },
});

async function openStore(path: string, clock: Clock): Promise<KernelStore> {
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

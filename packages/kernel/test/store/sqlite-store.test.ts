import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { KernelStore } from '@millforge/kernel/store';
import { kernelStoreConformance } from '@millforge/kernel/testing';
import { afterAll, beforeAll, test } from 'vitest';
import { volatileFolder } from '../crash/moments.ts';
import { temporaryDirectory } from '../fixture.ts';
import { makeTemplate } from '../proof/template.ts';
import { openStore } from './open-store.ts';

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

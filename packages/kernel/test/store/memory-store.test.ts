import { createMemoryStore, kernelStoreConformance } from '@millforge/kernel/testing';
import { test } from 'vitest';

kernelStoreConformance({
  test,
  async createStore({ clock }) {
    const { store, another } = createMemoryStore({ clock });
    return { store, another: async () => another(), close: () => store.close() };
  },
});

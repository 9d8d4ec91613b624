import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { packageBuild } from '../../tools/package-build.ts';

export default {
  ...packageBuild({ entries: ['index'] }),
  plugins: [
    {
      // Diagnostics name these pages, and whoever installed the command has no checkout.
      name: 'code-pages',
      async buildEnd(this: { options: { outDir: string } }) {
        await cp('../../docs/codes', join(this.options.outDir, 'codes'), {
          recursive: true,
          filter: (path) => !/\.(?:json|yaml)$/u.test(path),
        });
      },
    },
  ],
};

import { join } from 'node:path';
import { operationLogConformance, sequentialIds } from '@millforge/contracts/testing';
import { openKernel } from '@millforge/kernel';
import { test } from 'vitest';
import { temporaryDirectory } from './fixture.ts';
import { logSubject } from './log-subject.ts';

operationLogConformance({
  test,
  createLog: (options) => {
    const path = join(temporaryDirectory(), 'trail.db');
    return logSubject((clock) => openKernel({ path, clock, ids: sequentialIds() }), options);
  },
});

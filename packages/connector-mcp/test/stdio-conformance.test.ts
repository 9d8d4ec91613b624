import { connectorTransportConformance } from '@millforge/connectors/testing';
import { test } from 'vitest';
import { fixture, processesWith } from './subject.ts';

connectorTransportConformance({
  test,
  tools: { echo: 'echo', fails: 'fails', hangs: 'hangs' },
  open() {
    const mark = `conformance-${Math.random()}`;
    const script = `${import.meta.dirname}/stdio-server.mjs`;
    return {
      transport: fixture('good', { args: [script, 'good', mark] }),
      loseServer() {
        for (const line of processesWith(mark)) {
          if (line.includes('/bin/sh')) continue;
          process.kill(Number(line.trim().split(' ')[0]), 'SIGKILL');
        }
      },
      close() {},
    };
  },
});

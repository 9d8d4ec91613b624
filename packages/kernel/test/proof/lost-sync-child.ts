import { writeSync } from 'node:fs';
import { join } from 'node:path';
import type { TaskContext } from '@millforge/kernel';
import Database from 'better-sqlite3';
import { openKernelOn } from '../../src/open-kernel.ts';
import { crashClock, crashIds, crashScope } from '../crash/finish-goal.ts';

// node lost-sync-child.mjs DIRECTORY FULL|NORMAL   writes operations and says of each when it may be relied on

const [directory = '', synchronous = 'FULL'] = process.argv.slice(2);
const binding = { kind: 'tool', name: 'write', version: '1', parameters: null } as const;
const kernel = await openKernelOn(
  (file, options) => {
    const connection = new Database(file, options);
    if (synchronous === 'FULL') return connection;
    // What the driver would do if nobody told it otherwise: the check of the setting is answered for it.
    return new Proxy(connection, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (name !== 'pragma') return value.bind(target);
        return (sql: string, how?: object) => {
          if (sql === 'synchronous = FULL') return target.pragma('synchronous = NORMAL');
          if (sql === 'synchronous') return 2;
          return Reflect.apply(value, target, [sql, how]);
        };
      },
    });
  },
  { path: join(directory, 'trail.db'), clock: crashClock, ids: crashIds },
);
await kernel.admitGoal(crashScope, {
  kind: 'goal_contract',
  schema_version: '1.0',
  goal_id: 'sync',
  objective: 'Write.',
  unchecked: true,
  tasks: [{ task_id: 't', adapter: binding, doubt: 'operation', effect: 'external' }],
});
await kernel.runGoal(crashScope, 'sync', {
  adapters: [
    {
      ...binding,
      async run(context: TaskContext) {
        for (let step = 1; step <= 25; step += 1) {
          const key = `o${step}`;
          await context.perform(
            {
              key,
              step,
              kind: 'tool',
              effect: 'read',
              repeat: 'safe',
              metered: false,
              input: step,
              describe: key,
            },
            async () => ({ value: step }),
          );
          writeSync(1, `acknowledged ${key}\n`);
        }
        return null;
      },
    },
  ],
}).done;
await kernel[Symbol.asyncDispose]();

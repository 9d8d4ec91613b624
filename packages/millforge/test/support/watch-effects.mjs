// Loaded before a program with --import: notes every call of Node that has an effect.
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import workerThreads from 'node:worker_threads';

globalThis.effects = [];

const watched = [
  [childProcess, ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']],
  [net, ['connect', 'createConnection', 'createServer']],
  [net.Socket.prototype, ['connect']],
  [net.Server.prototype, ['listen']],
  [workerThreads, ['Worker']],
  [fs, writers(fs)],
  [fs.promises, writers(fs.promises)],
];

for (const [owner, names] of watched) {
  for (const name of names) {
    const original = owner[name];
    if (typeof original !== 'function') continue;
    owner[name] = new Proxy(original, {
      apply(target, self, args) {
        globalThis.effects.push(name);
        return Reflect.apply(target, self, args);
      },
      construct(target, args) {
        globalThis.effects.push(name);
        return Reflect.construct(target, args);
      },
    });
  }
}
syncBuiltinESMExports();

function writers(module) {
  return Object.keys(module).filter((name) =>
    /^(?:write|append|mk|rm|unlink|rename|link|symlink|copy|cp|truncate|ftruncate|ch(?:mod|own)|utimes|createWrite)/u.test(
      name,
    ),
  );
}

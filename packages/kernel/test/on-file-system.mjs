// Preloaded with --import: every folder stands on a file system of the type FILE_SYSTEM, since a test can mount none.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const type = Number(process.env.FILE_SYSTEM);
const { statfsSync } = fs;
fs.statfsSync = (...given) => Object.assign(statfsSync(...given), { type });
syncBuiltinESMExports();

#!/usr/bin/env node
// Stands here before the first build, so that an install can link the command.
await import('./dist/bin.js');

import { packageBuild } from '../../tools/package-build.ts';

export default packageBuild({
  entries: [
    'index',
    'artifacts',
    'develop',
    'publication',
    'review',
    'telemetry',
    'store',
    'testing',
  ],
  external: ['better-sqlite3', '@opentelemetry/api'],
});

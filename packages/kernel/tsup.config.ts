import { packageBuild } from '../../tools/package-build.ts';

export default packageBuild({
  entries: ['index', 'artifacts', 'develop', 'publication', 'review', 'telemetry', 'testing'],
  external: ['better-sqlite3', '@opentelemetry/api'],
});

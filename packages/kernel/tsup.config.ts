import { packageBuild } from '../../tools/package-build.ts';

export default packageBuild({
  entries: ['index', 'artifacts', 'develop', 'publication', 'review', 'testing'],
  external: ['better-sqlite3'],
});

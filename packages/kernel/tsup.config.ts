import { packageBuild } from '../../tools/package-build.ts';

export default packageBuild({
  entries: ['index', 'artifacts', 'testing'],
  external: ['better-sqlite3'],
});

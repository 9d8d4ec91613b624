import { packageBuild } from '../../tools/package-build.ts';

export default packageBuild({
  entries: ['index', 'artifacts', 'publication', 'testing'],
  external: ['better-sqlite3'],
});

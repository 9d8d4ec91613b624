import { packageBuild } from '../../tools/package-build.ts';

export default packageBuild({ entries: ['index', 'testing'], external: ['better-sqlite3'] });

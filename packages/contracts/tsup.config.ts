import { packageBuild } from '../../tools/package-build.ts';

export default packageBuild({
  entries: ['index', 'testing'],
  untyped: ['json/sha256-node', 'json/sha256-portable'],
  // The fakes use the package as everybody does, so that importing it opens one file.
  external: ['#sha256', '@millforge/contracts'],
});

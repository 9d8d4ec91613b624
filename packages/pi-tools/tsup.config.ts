import { packageBuild } from '../../tools/package-build.ts';

export default packageBuild({
  entries: ['index'],
  copies: ['bash/join-outputs.bash'],
  external: ['@vscode/ripgrep'],
});

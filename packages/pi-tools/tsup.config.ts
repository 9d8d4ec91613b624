import { packageBuild } from '../../tools/package-build.ts';

export default packageBuild({
  entries: ['index'],
  copies: ['bash/join-outputs.bash', 'read/image-worker.mjs'],
  external: ['@vscode/ripgrep', '@silvia-odwyer/photon-node', 'image-size'],
});

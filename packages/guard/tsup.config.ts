import { packageBuild } from '../../tools/package-build.ts';

export default packageBuild({
  entries: ['index'],
  inline: ['@millforge/contracts'],
  platform: 'neutral',
});

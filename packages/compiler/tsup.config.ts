import { packageBuild } from '../../tools/package-build.ts';

export default packageBuild({
  entries: ['index', 'publish', 'render'],
  // `render` uses the compiler as everybody does, and its parser comes in: each file less is a millisecond at import.
  external: ['@millforge/compiler'],
  inline: ['source'],
});

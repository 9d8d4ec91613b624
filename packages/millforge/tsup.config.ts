import { packageBuild } from '../../tools/package-build.ts';

export default packageBuild({
  entries: [
    'index',
    'packages/contracts',
    'packages/source',
    'packages/compiler',
    'packages/compiler-publish',
    'packages/registry',
    'packages/registry-testing',
    'packages/builtin-tools',
    'packages/builtin-tools-path-policy',
    'packages/pi-tools',
    'packages/connectors',
    'packages/connectors-testing',
    'packages/models',
    'packages/models-node',
    'packages/models-testing',
    'packages/guard',
    'packages/runtime',
    'packages/sandbox',
    'packages/custom-tools',
    'packages/custom-tools-run',
    'packages/kernel',
    'packages/kernel-artifacts',
  ],
  untyped: ['bin'],
});

import { packageBuild } from '../../tools/package-build.ts';

export default packageBuild({
  entries: ['index', 'ai-sdk', 'langgraph', 'openai-agents', 'openai-chat'],
  // What judges replies stands apart, so that a bundler leaves the rest out where only that is used.
  untyped: [
    'inspect-reply',
    'settle-batch',
    'step-gate',
    'repeats/repeat-guard',
    'prompt/respond-tool',
  ],
  inline: ['contracts'],
  platform: 'neutral',
});

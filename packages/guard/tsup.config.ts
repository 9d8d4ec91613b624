import { packageBuild } from '../../tools/package-build.ts';

export default packageBuild({
  entries: [
    'index',
    'limits',
    'messages',
    'repair',
    'rescue',
    'steps',
    'ai-sdk',
    'langgraph',
    'openai-agents',
    'openai-chat',
  ],
  // What judges replies stands apart, so that a bundler leaves the rest out where only that is used.
  untyped: ['inspect-reply', 'settle-batch'],
  inline: ['contracts'],
  platform: 'neutral',
});

import { packageBuild } from '../../tools/package-build.ts';

export default packageBuild({
  entries: ['index', 'ai-sdk', 'langgraph', 'openai-agents', 'openai-chat'],
  inline: ['contracts'],
  platform: 'neutral',
});

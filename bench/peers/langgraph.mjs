import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';

class ScriptedModel extends BaseChatModel {
  turn = 0;
  turns;

  constructor(turns) {
    super({});
    this.turns = turns;
  }

  _llmType() {
    return 'scripted';
  }

  bindTools() {
    return this;
  }

  async _generate() {
    const { turn } = this;
    this.turn += 1;
    const message =
      turn >= this.turns
        ? new AIMessage({ content: 'done' })
        : new AIMessage({
            content: '',
            tool_calls: [{ type: 'tool_call', id: `c${turn}`, name: 'noop', args: { n: turn } }],
          });
    return { generations: [{ text: message.text, message }] };
  }
}

/** One run of so many turns by the prebuilt agent of LangGraph. */
export async function runLangGraph(turns) {
  let calls = 0;
  const noop = tool(
    async () => {
      calls += 1;
      return 'ok';
    },
    { name: 'noop', description: 'Does nothing.', schema: z.object({ n: z.int() }) },
  );
  const agent = createReactAgent({
    llm: new ScriptedModel(turns),
    tools: [noop],
    prompt: 'Call noop.',
  });
  await agent.invoke(
    { messages: [{ role: 'user', content: 'Go.' }] },
    { recursionLimit: turns * 2 + 10 },
  );
  if (calls !== turns) throw new Error(`LangGraph made ${calls} of ${turns} calls`);
}

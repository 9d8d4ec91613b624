import { guardedChat } from '@millforge/guard/openai-chat';
import type OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';

// #region openai-chat
const notes = new Map([[7, 'buy milk']]);
const tools: OpenAI.ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'read_note',
      description: 'Reads a note.',
      parameters: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    },
  },
];

/** Answers a question with a tool, in a loop of one's own. */
export async function askInOwnLoop(client: OpenAI, question: string): Promise<string> {
  const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: question }];
  for (let turn = 0; turn < 8; turn++) {
    const { message } = await guardedChat(
      { model: 'qwen3:8b', messages, tools },
      { create: (request) => client.chat.completions.create(request) },
    );
    messages.push(message);
    if (message.tool_calls === undefined) return message.content ?? '';
    for (const call of message.tool_calls) {
      const { id } = JSON.parse(call.function.arguments);
      const content = notes.get(id) ?? 'There is no such note.';
      messages.push({ role: 'tool', tool_call_id: call.id, content });
    }
  }
  return 'No answer within eight turns.';
}
// #endregion

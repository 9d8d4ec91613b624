import type { AIMessage, BaseMessage } from '@langchain/core/messages';
import type { StructuredToolInterface } from '@langchain/core/tools';
import { Annotation, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { toGuardTool } from '@millforge/guard';
import { createGraphGuard, type GraphGuardRecord } from '@millforge/guard/langgraph';

// #region langgraph
/** A graph of a model, the guard and the tools. */
export function guardedGraph(
  askModel: (messages: BaseMessage[]) => Promise<AIMessage>,
  tools: readonly StructuredToolInterface[],
) {
  const guard = createGraphGuard({
    tools: tools.map(({ name, description, schema }) => toGuardTool({ name, description, schema })),
  });
  const State = Annotation.Root({
    ...MessagesAnnotation.spec,
    guard: Annotation<GraphGuardRecord | null>(),
  });
  const graph = new StateGraph(State)
    .addNode('model', async ({ messages }) => ({ messages: [await askModel(messages)] }))
    .addNode('inspect', guard.node)
    .addNode('tools', new ToolNode([...tools]))
    .addEdge(START, 'model')
    .addEdge('model', 'inspect')
    .addConditionalEdges('inspect', guard.route, { tools: 'tools', model: 'model', end: END })
    .addEdge('tools', 'model')
    .compile();
  return graph;
}
// #endregion

import type { CompileInput } from '@millforge/compiler';
import type { JsonObject } from '@millforge/contracts';
import { graphOf, harness, inputFor, needs } from './harness.ts';

/** A document near a limit of the language, which is wrong in thousands of places, and its surroundings. */
export interface HostileHeap {
  readonly name: string;
  readonly content: string;
  readonly input: CompileInput;
}

/** Documents in which everything is wrong that can be. */
export function hostileHeaps(): readonly HostileHeap[] {
  return Object.entries(HEAPS).map(([name, make]) => {
    const source = make();
    return { name, content: JSON.stringify(source), input: inputFor(source) };
  });
}

const HEAPS: { readonly [name: string]: () => JsonObject } = {
  '9,000 undeclared artifacts of one node': () =>
    graphOf({ finish: { terminal_result: 'DONE', produces: ids('artifact.', 9000) } }),
  '9 nodes with 1,000 undeclared artifacts each': () =>
    graphOf(nodes(9, () => ({ produces: ids('artifact.', 1000) }))),
  'all 512 declared artifacts demanded by 18 terminals, and made by no node': () => {
    const results = ids('DONE', 18);
    return graphOf(
      nodes(18, (at) => ({ terminal_result: results[at] ?? '' })),
      {
        artifacts: {
          declared_artifact_ids: ids('artifact.', 512),
          required_by_terminal: Object.fromEntries(
            results.map((result) => [result, ids('artifact.', 512)]),
          ),
        },
      },
    );
  },
  '4,000 secrets': () =>
    harness({
      artifacts: { declared_artifact_ids: [] },
      graph: {
        nodes: {
          finish: {
            tool_ref: 'test.finish@1',
            terminal_result: 'DONE',
            produces: ids('sk-a1b2c3d4e5f6g7h8i9j', 4000),
          },
        },
      },
    }),
  '500 nodes with 17 unknown keys each': () =>
    graphOf(nodes(500, () => Object.fromEntries(ids('unknown_', 17).map((key) => [key, 1])))),
  '9,900 unknown keys of the root': () =>
    harness(Object.fromEntries(ids('unknown_', 9900).map((key) => [key, 1]))),
  '9,900 undeclared artifacts of a wrong form': () =>
    graphOf({ finish: { terminal_result: 'DONE', produces: range(9900) } }),
  '4,096 prerequisites without a node': () =>
    graphOf(nodes(64, () => needs(...ids('nowhere_', 64)))),
  '4,096 prerequisites on the node itself': () =>
    graphOf(nodes(64, (at) => needs(...range(64).map(() => `n${at}`)))),
  '1,600 arguments without a match': () =>
    graphOf({
      first: {},
      ...nodes(75, () => ({
        prerequisites: [
          {
            node_id: 'first',
            argument_matches: Object.fromEntries(
              range(32).map((at) => [`prior_${at}`, `current_${at}`]),
            ),
          },
        ],
      })),
    }),
  '512 nodes that name one tool': () => graphOf(nodes(512, () => ({ tool_ref: 'test.same@1' }))),
  '512 nodes that need each other around': () =>
    graphOf(nodes(512, (at) => needs(`n${(at + 1) % 512}`))),
  '75 nodes that need all others': () =>
    graphOf(
      nodes(75, (at) =>
        needs(
          ...range(75)
            .filter((other) => other !== at)
            .slice(0, 64)
            .map((other) => `n${other}`),
        ),
      ),
    ),
};

function nodes(count: number, body: (at: number) => JsonObject): { [nodeId: string]: JsonObject } {
  return Object.fromEntries(range(count).map((at) => [`n${at}`, body(at)]));
}

function ids(stem: string, count: number): string[] {
  return range(count).map((at) => `${stem}${at}`);
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}

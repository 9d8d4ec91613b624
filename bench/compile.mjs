import { parseDocument } from 'yaml';
import {
  compileHarness,
  toModelProfileCatalog,
  toToolCatalog,
} from '../packages/compiler/dist/index.js';
import { graphHarness, longHarness, SHAPES } from './harnesses.mjs';
import { compare, report, timed } from './measure.mjs';

/** Compiling a long harness against parsing the same text into a value, and how graphs grow. */
export async function benchCompile() {
  const { yaml, tools, profile, grants } = longHarness();
  const compileYaml = compilation(yaml, { tools, profile, grants });
  const parse = () => parseDocument(yaml).toJS();
  const name = `${yaml.split('\n').length - 1} lines`;
  report(
    `compile ${name} / yaml parseDocument + toJS`,
    await compare(many(compileYaml), many(parse), 15),
    'text',
  );
  const json = JSON.stringify(parse());
  const compileJson = compilation(json, { tools, profile, grants });
  report(
    'compile its JSON form / JSON.parse',
    await compare(
      many(compileJson),
      many(() => JSON.parse(json)),
      15,
    ),
    'text',
  );
  for (const shape of SHAPES) await benchGrowth(shape);
}

/** Twice the edges may cost two and a half times as much; the sizes leave both within the limits. */
async function benchGrowth(shape) {
  const size = shape === 'dense' ? 64 : 256;
  const half = graphHarness(shape, size);
  const whole = graphHarness(shape, size === 64 ? 91 : 2 * size);
  const profile = 'bench.small';
  const [less, more] = [half, whole].map((graph) =>
    many(compilation(JSON.stringify(graph.source), { tools: graph.tools, profile, grants: [] }), 4),
  );
  report(
    `${shape}: ${whole.edges} edges / ${half.edges} edges`,
    await compare(more, less, 9),
    'text',
  );
}

function compilation(text, { tools, profile, grants }) {
  const input = {
    catalog: toToolCatalog(tools),
    profiles: toModelProfileCatalog([profile]),
    request: { grants },
  };
  return () => {
    const result = compileHarness(text, input);
    if (!result.ok) throw new Error(result.diagnostics[0]?.message);
  };
}

function many(work, count = 100) {
  return () =>
    timed(() => {
      for (let done = 0; done < count; done += 1) work();
    }, count);
}

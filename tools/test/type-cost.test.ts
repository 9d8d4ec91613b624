/** @module-tag slow */
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
// Beside the tests of the package, so that its imports resolve as they do there. Nothing is written.
const FILE = join(ROOT, 'packages/contracts/test/tool/ten-tools.ts');
const TOOLS = 10;

test('ten tools of six fields cost at most 15,000 instantiations beyond their schemas', () => {
  const schemas = check(sourceOf({ tools: false }));
  const tools = check(sourceOf({ tools: true }), schemas.program);
  expect(schemas.problems).toEqual([]);
  expect(tools.problems).toEqual([]);
  const beyond = tools.instantiations - schemas.instantiations;
  expect(beyond).toBeGreaterThan(0);
  expect(beyond).toBeLessThanOrEqual(15_000);
});

/** Ten schemas of six fields for arguments and results, and where asked for a tool for each. */
function sourceOf({ tools }: { readonly tools: boolean }): string {
  const each = Array.from({ length: TOOLS }, (_, index) => {
    const schemas = `
      const input${index} = z.strictObject({
        path: z.string(), count: z.int(), ratio: z.number().optional(), deep: z.boolean(),
        mode: z.enum(['a${index}', 'b']), names: z.array(z.string()),
      });
      const output${index} = z.strictObject({
        path: z.string(), total: z.int(), ratio: z.number().optional(), done: z.boolean(),
        mode: z.enum(['a${index}', 'b']), names: z.array(z.string()),
      });
      export const pair${index} = [input${index}, output${index}];`;
    const tool = `
      export const tool${index} = defineTool({
        id: 'test.tool${index}', description: 'Does something.',
        input: input${index}, output: output${index},
        sideEffect: 'read_only', idempotency: 'idempotent',
        run: async ({ path, count, mode, names, deep }) => ({
          kind: 'done',
          data: { path: path.trim(), total: count + 1, done: deep, mode, names: names.slice(1) },
        }),
      });`;
    return tools ? schemas + tool : schemas;
  });
  return `import { defineTool } from '@millforge/contracts';
    import { z } from 'zod';
    export const make = defineTool;
    ${each.join('\n')}`;
}

/** Checks a file; what an earlier program has parsed is not parsed again. */
function check(text: string, earlier?: ts.Program) {
  const base = ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), (path) => ts.sys.readFile(path));
  const options = {
    ...ts.parseJsonConfigFileContent(base.config, ts.sys, ROOT).options,
    noEmit: true,
  };
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    getSourceFile: (path, ...rest) =>
      path === FILE
        ? ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
        : disk.getSourceFile(path, ...rest),
  };
  const program = ts.createProgram([FILE], options, host, earlier);
  const file = program.getSourceFile(FILE);
  const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  const problems = found.map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, ' ').slice(0, 2000),
  );
  return { program, instantiations: program.getInstantiationCount(), problems };
}

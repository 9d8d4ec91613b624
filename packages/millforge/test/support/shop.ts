import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createMillforge,
  defineTool,
  type Millforge,
  type MillforgeOptions,
  type ModelSetting,
  type RunHandle,
  type RunRequest,
} from 'millforge';
import { toModelProfileCatalog } from 'millforge/compiler';
import { testHarness } from '../cli/test-harness.ts';

/** A folder in which a model buys something that somebody has to agree to. */
export interface Shop {
  readonly directory: string;
  /** What was bought so far. */
  readonly bought: () => readonly string[];
  /** Opens the trail of the folder. */
  readonly open: (options?: MillforgeOptions) => Millforge;
  /** Starts the run: it buys, then submits. */
  readonly start: (millforge: Millforge, request?: Partial<RunRequest>) => Promise<RunHandle>;
  readonly remove: () => void;
}

/** Makes a shop, or goes on in the folder of one. */
export function openShop(directory = mkdtempSync(join(tmpdir(), 'millforge-shop-'))): Shop {
  const ledger = join(directory, 'ledger.txt');
  const tools = [buyTool(ledger)];
  return {
    directory,
    bought: () => (existsSync(ledger) ? readFileSync(ledger, 'utf8').trimEnd().split('\n') : []),
    open: (options = {}) =>
      createMillforge({ dataDir: join(directory, 'data'), actor: 'ann@host', tools, ...options }),
    start(millforge, request = {}) {
      const plan = millforge.compile(HARNESS, {
        profiles: toModelProfileCatalog(['test.model']),
        request: { grants: GRANTS },
      });
      if (!plan.ok) throw new Error(plan.diagnostics.map(({ message }) => message).join(' '));
      return millforge.run({
        plan: { bytes: new TextDecoder().decode(plan.bytes), sha256: plan.sha256 },
        task: 'Buy bread.',
        workspace: directory,
        grants: GRANTS,
        model: MODEL,
        ...request,
      });
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function buyTool(ledger: string) {
  return defineTool({
    id: 'test.buy',
    name: 'buy',
    description: 'Buys something.',
    input: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
    sideEffect: 'network_write',
    idempotency: 'non_idempotent',
    capabilities: ['test.shop'],
    approval: 'explicit',
    async run(input) {
      appendFileSync(ledger, `${JSON.stringify(input)}\n`);
      return { kind: 'done', text: 'bought' };
    },
  });
}

const GRANTS = ['test.shop', 'terminal.intent'];

const MODEL: ModelSetting = {
  kind: 'scripted',
  script: {
    kind: 'model_script',
    schema_version: '1.0',
    replies: [
      { tool_calls: [{ name: 'buy', arguments: { what: 'bread' } }] },
      {
        tool_calls: [
          { name: 'submit', arguments: { terminal_result: 'COMPLETE', summary: 'It is done.' } },
        ],
      },
    ],
  },
};

const HARNESS = testHarness({
  nodes: `    buy:
      tool_ref: test.buy@1
    finish:
      tool_ref: builtin.pi_compat.submit@1
      terminal_result: COMPLETE
`,
});

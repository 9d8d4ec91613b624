import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileHarness, toModelProfileCatalog, toToolCatalog } from '@millforge/compiler';
import { checkFile, compileFile, loadPlan } from '@millforge/compiler/publish';

const source = await readFile('harness.yaml', 'utf8');

// #region catalogs
const catalog = toToolCatalog(await readFile('tools.json', 'utf8'));
const profiles = toModelProfileCatalog(['example.small']);
const grants = ['ticket.read', 'artifact.write', 'terminal.intent'];
// #endregion

// #region in-memory
const result = compileHarness(source, { catalog, profiles, request: { grants } });
if (result.ok) {
  const { harness_id, harness_version, nodes } = result.plan;
  console.log(`${harness_id}@${harness_version} compiles: ${nodes.length} nodes`);
}
// #endregion

// The order of keys, comments and the notation are not in the digest: the same meaning, the same plan.
const remarked = `# Somebody's remark.\n${source}`;
const again = compileHarness(remarked, { catalog, profiles, request: { grants } });
console.log(`the same plan: ${again.ok && result.ok && again.sha256 === result.sha256}`);

// #region wrong
const hasty = source.replace('- node_id: write_review', '- node_id: open_ticket');
const wrong = compileHarness(hasty, { catalog, profiles, request: { grants: ['ticket.read'] } });
for (const { code, name, message } of wrong.diagnostics) {
  console.log(`${code} ${name}: ${message}`);
}
// #endregion

const folder = await mkdtemp(join(tmpdir(), 'millforge-example-01-'));
try {
  // #region publish
  const request = {
    request_id: 'example.request',
    source_root: process.cwd(),
    source_path: 'harness.yaml',
    source_format: 'yaml',
    output_root: folder,
    output_dir: 'plans',
    expected_harness_id: 'example.review.v1',
    stage_kind_id: 'review',
    legal_terminal_results: ['REVIEW_DONE'],
    capability_envelope: { grants: grants.map((capability_id) => ({ capability_id })) },
  } as const;

  const early = await compileFile(request, { catalog, profiles });
  console.log(`${early.kind}: ${early.diagnostics.map(({ message }) => message).join(' ')}`);
  // #endregion

  // #region load
  await mkdir(join(folder, 'plans'));
  const outcome = await compileFile(request, { catalog, profiles });
  if (outcome.kind === 'published') {
    const loaded = await loadPlan(join(folder, outcome.planPath), { sha256: outcome.sha256 });
    console.log(`${outcome.kind}: the file ${loaded.ok ? 'verifies' : loaded.problems[0]}`);
  }
  // #endregion
  console.log(`${(await readdir(join(folder, 'plans'))).length} files`);
  console.log(`check: ${(await checkFile(request, { catalog, profiles })).kind}`);
} finally {
  await rm(folder, { recursive: true, force: true });
}

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompileFileInput, CompileFileRequest } from '@millforge/compiler/publish';
import { onTestFinished } from 'vitest';
import { readFixture } from './fixtures.ts';

/** The worked example on a disk of its own: `src/harnesses/ticket-review.yaml`, `out/compiled/`. */
export interface LaidOut {
  /** The folder of all. */
  readonly folder: string;
  /** The source file. */
  readonly source: string;
  /** The output directory. */
  readonly output: string;
  /** A right request. */
  readonly request: Required<CompileFileRequest>;
  /** Catalogs and identity of the example. */
  readonly input: CompileFileInput;
}

/** Name of the plan of the worked example. */
export const PLAN_NAME =
  'docs.example.ticket-review.v1@3.29676dd84c654df9e86dba041b4fa8bb7cad8c45af4df73f8d7cf23283144ad3.compiled.json';
/** Name of its report. */
export const REPORT_NAME =
  'docs.example.ticket-review.v1@3.29676dd84c654df9e86dba041b4fa8bb7cad8c45af4df73f8d7cf23283144ad3.request-6704a28e27d56a30a06e42b832fa01b7d3ca33338c0a9e103e8be6d4670fa6d1.diagnostics.json';

/** Bytes of the plan of the worked example. */
export async function planBytes(): Promise<Uint8Array> {
  return new Uint8Array(await readFile(new URL('plan.json', readFixture('ticket-review').folder)));
}

/** Lays the worked example out in a folder that is removed when the test ends. */
export async function layOut(): Promise<LaidOut> {
  const folder = await mkdtemp(join(tmpdir(), 'millforge-compile-file-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return layOutIn(folder);
}

/** Lays the worked example out in an existing folder. */
export async function layOutIn(folder: string): Promise<LaidOut> {
  const { source: bytes, input } = readFixture('ticket-review');
  const output = join(folder, 'out', 'compiled');
  const source = join(folder, 'src', 'harnesses', 'ticket-review.yaml');
  await mkdir(output, { recursive: true });
  await mkdir(join(folder, 'src', 'harnesses'), { recursive: true });
  await writeFile(source, bytes);
  const { catalog, profiles, identity } = input;
  const request = {
    request_id: 'request.docs.1',
    source_path: 'harnesses/ticket-review.yaml',
    source_root: join(folder, 'src'),
    source_format: 'yaml',
    output_dir: 'compiled',
    output_root: join(folder, 'out'),
    expected_harness_id: 'docs.example.ticket-review.v1',
    stage_kind_id: 'review',
    legal_terminal_results: ['REVIEW_DONE', 'REVIEW_ABANDONED'],
    capability_envelope: {
      grants: ['ticket.read', 'notes.search', 'artifact.write', 'terminal.intent'].map(
        (capability_id) => ({ capability_id }),
      ),
    },
  } as const;
  return { folder, source, output, request, input: { catalog, profiles, identity } };
}

/** Every file below a folder, with its text. */
export async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  const texts = files.toSorted().map(async (name) => {
    return [name, await readFile(join(folder, name), 'utf8')] as const;
  });
  return new Map(await Promise.all(texts));
}

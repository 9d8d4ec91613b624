import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  compileHarness,
  planFileName,
  toModelProfileCatalog,
  toToolCatalog,
} from '@millforge/compiler';
import { compileFile, type PublishFiles, systemFiles } from '@millforge/compiler/publish';
import { expect, onTestFinished, test } from 'vitest';
import { readCodePage, readDocsFile } from '../support/code-pages.ts';
import { GRANTS } from '../support/fixtures.ts';

/** What a page makes of the file system. */
interface Disk {
  readonly fails?: 'link' | 'rename' | 'unlink';
  readonly error?: string;
  readonly changes?: 'source' | 'output';
  readonly holds?: string;
}

const input = {
  catalog: toToolCatalog(readDocsFile('catalog.json')),
  profiles: toModelProfileCatalog(['docs.profile.small']),
};

test.each([
  'MF-S001',
  'MF-S002',
  'MF-S013',
  'MF-S014',
  'MF-S015',
  'MF-S016',
  'MF-S017',
  'MF-O001',
  'MF-O002',
  'MF-O003',
  'MF-O004',
  'MF-O005',
])('the page of %s shows what causes it, and the same put right', async (code) => {
  const message = readCodePage(code)?.message;
  const wrong = await compile(blocksOf(code, 'wrong'));
  expect(wrong.diagnostics).toContainEqual(expect.objectContaining({ code, message }));
  expect(wrong.kind).not.toBe('published');
  const right = await compile(blocksOf(code, 'right'));
  expect([right.kind, right.diagnostics]).toEqual(['published', []]);
});

interface Blocks {
  readonly request: object;
  readonly disk: Disk;
}

function blocksOf(code: string, side: 'wrong' | 'right'): Blocks {
  const page = readDocsFile(`${code.charAt('MF-'.length)}/${code}.md`);
  const read = (info: string) => {
    const block = new RegExp(`\`\`\`json ${side} ${info}\n([^\`]+)\`\`\``).exec(page)?.[1];
    return block === undefined ? null : JSON.parse(block);
  };
  const [request, disk] = [read('request file'), read('disk')];
  expect(request ?? disk).not.toBeNull();
  return { request: request ?? {}, disk: disk ?? {} };
}

async function compile({ request, disk }: Blocks) {
  const folder = await mkdtemp(join(tmpdir(), 'millforge-page-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'plans'));
  await writeFile(join(folder, 'harness.yaml'), readDocsFile('harness.yaml'));
  if (disk.holds !== undefined) await writeFile(join(folder, 'plans', planName()), disk.holds);
  return compileFile(
    {
      request_id: 'docs.request',
      source_path: 'harness.yaml',
      source_root: folder,
      source_format: 'yaml',
      output_dir: 'plans',
      output_root: folder,
      capability_envelope: { grants: GRANTS.map((capability_id) => ({ capability_id })) },
      ...request,
    },
    { ...input, mayLeaveToSource: true, fs: filesOf(disk, folder) },
  );
}

function filesOf({ fails, error, changes }: Disk, folder: string): PublishFiles {
  const fault = Object.assign(new Error('injected'), { code: error });
  return {
    ...systemFiles,
    ...(fails === undefined ? {} : { [fails]: () => Promise.reject(fault) }),
    open: async (path, flags, mode) => {
      const handle = await systemFiles.open(path, flags, mode);
      if (changes === 'source' && path.endsWith('harness.yaml')) {
        await writeFile(path, `${readDocsFile('harness.yaml')}\n`);
      }
      if (changes === 'output' && path.endsWith('plans')) {
        await rename(path, join(folder, 'elsewhere'));
        await mkdir(path);
      }
      return handle;
    },
  };
}

function planName(): string {
  const request = { format: 'yaml', grants: GRANTS } as const;
  const result = compileHarness(readDocsFile('harness.yaml'), { ...input, request });
  if (!result.ok) throw new Error('not compiled');
  return planFileName(result.plan);
}

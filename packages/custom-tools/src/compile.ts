import {
  type Diagnostic,
  deepFreeze,
  sortDiagnostics,
  type ToolDescriptor,
} from '@millforge/contracts';
import { createLocator, parseSource } from '@millforge/source';
import { checkExpected, checkSource } from './check/check-source.ts';
import { checkTool } from './check/check-tool.ts';
import type { CustomToolManifest } from './custom-tool-manifest.ts';
import type { CustomToolPolicy } from './custom-tool-policy.ts';
import type { CustomToolRecord, ImplementationRecord } from './custom-tool-record.ts';
import { declarationDigest, emitRecord, sourceDigest } from './emit/emit-tools.ts';
import { lowerTool } from './lower/lower-tool.ts';
import { readManifest } from './read/read-manifest.ts';
import { readPolicy } from './read/read-policy.ts';
import { scanHazards } from './read/scan-hazards.ts';
import { resolveImplementation } from './resolve/resolve-implementation.ts';

/** A manifest as it comes: text, bytes, or a value that was read elsewhere. */
export type CustomToolSource =
  | {
      /** The text. */
      readonly content: string | Uint8Array;
      /** How it is written; default `yaml`. */
      readonly format?: 'yaml' | 'json';
      /** What diagnostics call it. */
      readonly logicalPath: string;
    }
  | {
      /** The value; whatever it is, it is checked. */
      readonly value: unknown;
    };

/** One compiled tool. */
export interface CompiledCustomTool {
  /** What it is. */
  readonly descriptor: ToolDescriptor;
  /** What it was made from. */
  readonly record: CustomToolRecord;
  /** Its code; null where the manifest carries none. */
  readonly implementation: ImplementationRecord | null;
}

/** What came of a compilation: all of its tools, or none. */
export type CustomToolsResult =
  | {
      /** Whether it was accepted. */
      readonly ok: true;
      /** The tools, in an order that does not depend on that of the manifest. */
      readonly value: {
        /** Digest of the manifest's meaning. */
        readonly sourceSha256: string;
        /** The compiled tools. */
        readonly tools: readonly CompiledCustomTool[];
      };
      /** Warnings. */
      readonly diagnostics: readonly Diagnostic[];
    }
  | {
      /** Whether it was accepted. */
      readonly ok: false;
      /** What is wrong, all of it that one phase can see. */
      readonly diagnostics: readonly Diagnostic[];
    };

/**
 * Compiles a manifest of custom tools under a policy. Pure; never throws for any document.
 *
 * All or nothing, and the same bytes whatever the order of tools, fields and sets.
 */
export function compileCustomTools(source: CustomToolSource, policy: unknown): CustomToolsResult {
  const parsed = parse(source);
  if (!parsed.ok) return parsed;
  const [scanned, scannedPolicy] = [scanHazards(parsed.value), scanHazards(policy)];
  const finish = (found: readonly Diagnostic[]): readonly Diagnostic[] =>
    parsed.place(sortDiagnostics([...scanned.warnings, ...found], ORDER));
  const hazards = [...scanned.errors, ...scannedPolicy.errors];
  if (hazards.length > 0) return refused(finish(hazards));

  const read = readManifest(parsed.value);
  const rules = readPolicy(policy);
  if (read.manifest === null || rules.policy === null) {
    return refused(finish([...read.diagnostics, ...rules.diagnostics]));
  }
  const compiled = compileManifest(read.manifest, rules.policy);
  if (compiled.diagnostics.length > 0) return refused(finish(compiled.diagnostics));
  const { sourceSha256, tools } = compiled;
  return deepFreeze({ ok: true, value: { sourceSha256, tools }, diagnostics: finish([]) });
}

function compileManifest(manifest: CustomToolManifest, policy: CustomToolPolicy) {
  const implementations = manifest.tools.map(resolveImplementation);
  const declarations = manifest.tools.map((tool, index) =>
    declarationDigest(tool, implementations[index] ?? null),
  );
  const sourceSha256 = sourceDigest(manifest, declarations);
  const diagnostics = [...checkSource(manifest, policy, sourceSha256)];
  const tools: CompiledCustomTool[] = [];
  for (const [index, tool] of manifest.tools.entries()) {
    const path = `/tools/${index}`;
    diagnostics.push(...checkTool(tool, policy, path));
    const lowered = lowerTool(tool, path);
    if ('diagnostic' in lowered) {
      diagnostics.push(lowered.diagnostic);
      continue;
    }
    const { descriptor } = lowered;
    const declarationSha256 = declarations[index] ?? '';
    const implementation = implementations[index] ?? null;
    const made = { sourceSha256, declarationSha256, descriptor, implementation };
    const record = emitRecord(manifest, tool, made);
    const hashes = [
      'declaration_sha256',
      'descriptor_sha256',
      'compilation_record_sha256',
    ] as const;
    for (const hash of hashes) {
      diagnostics.push(
        ...checkExpected({
          path: `${path}/expected_${hash}`,
          hash,
          expected: tool[`expected_${hash}`],
          actual: record[hash],
          isRequired: policy.require_expected_hashes,
        }),
      );
    }
    tools.push({ descriptor, record, implementation });
  }
  return { diagnostics, sourceSha256, tools: tools.toSorted(compareTools) };
}

function compareTools(
  { record: a }: CompiledCustomTool,
  { record: b }: CompiledCustomTool,
): number {
  // Inside one manifest no two tools have the same id and version.
  if (a.tool_id === b.tool_id) return a.tool_version - b.tool_version;
  return a.tool_id < b.tool_id ? -1 : 1;
}

type Parsed =
  | {
      readonly ok: true;
      readonly value: unknown;
      readonly place: (diagnostics: readonly Diagnostic[]) => readonly Diagnostic[];
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

function parse(source: CustomToolSource): Parsed {
  if ('value' in source) return { ok: true, value: source.value, place: (each) => each };
  const { content, logicalPath, format = 'yaml' } = source;
  const parsed = parseSource({ content, logicalPath, format }, { limits: LIMITS });
  if (parsed.source === null) return refused(parsed.diagnostics);
  const locate = createLocator(parsed.source);
  const place = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
    diagnostics.map((diagnostic) => {
      const span = locate(diagnostic.path);
      return deepFreeze({ ...diagnostic, logicalPath, ...(span === null ? {} : { span }) });
    });
  return { ok: true, value: parsed.source.value, place };
}

function refused(diagnostics: readonly Diagnostic[]) {
  return deepFreeze({ ok: false as const, diagnostics });
}

const ORDER = { phases: ['source', 'policy', 'compilation'] };
/** A manifest may carry code, which a harness does not. */
const LIMITS = { maxBytes: 8 * 2 ** 20, maxEntries: 100_000, maxScalarBytes: 262_144 };

import { compileHarness } from '@millforge/compiler';
import { parseSource } from '@millforge/source';
import { readFixture } from './fixtures.ts';
import { type HostileDocument, type HostileKind, hostileDocuments } from './hostile-documents.ts';

/** What a run over hostile documents found. */
export interface HostileFigures {
  readonly documents: number;
  readonly accepted: number;
  readonly compiled: number;
  /** The most processor time that one document took, in milliseconds. */
  readonly slowestMs: number;
  readonly slowestKind: HostileKind | null;
  /** How much the process has grown since it was warm, in bytes. */
  readonly growth: number;
  /** Every document that broke a promise, and how. */
  readonly broken: readonly string[];
}

/** Processor time that one document may take on a machine that does nothing else. */
export const LIMIT_MS = 50;

/** Settings of one run. */
export interface HostileOptions {
  /** Processor time that one document may take; {@link LIMIT_MS} unless given. */
  readonly limitMs?: number;
  /** Hears of every thousand documents. */
  readonly onProgress?: (done: number) => void;
}

/** Parses and compiles the documents of a seed and holds each to what is promised for all. */
export function runHostile(
  count: number,
  seed: number,
  options: HostileOptions = {},
): HostileFigures {
  const { limitMs = LIMIT_MS, onProgress } = options;
  const documents = hostileDocuments(seed);
  const figures = { accepted: 0, compiled: 0, slowestMs: 0, broken: new Array<string>() };
  let slowestKind: HostileKind | null = null;
  let warm = 0;
  let peak = 0;
  for (let done = 1; done <= count; done += 1) {
    const document = documents.next().value;
    const seen = look(document, {
      name: `seed ${seed}, document ${done}, ${document.kind}`,
      limitMs,
    });
    if (seen.isAccepted) figures.accepted += 1;
    if (seen.isCompiled) figures.compiled += 1;
    figures.broken.push(...seen.broken);
    if (seen.ms > figures.slowestMs) {
      figures.slowestMs = seen.ms;
      slowestKind = document.kind;
    }
    if (done % 1000 === 0) {
      onProgress?.(done);
      const resident = process.memoryUsage.rss();
      if (done <= count / 5) warm = Math.max(warm, resident);
      else peak = Math.max(peak, resident);
    }
  }
  return { documents: count, ...figures, slowestKind, growth: Math.max(0, peak - warm) };
}

interface Seen {
  readonly isAccepted: boolean;
  readonly isCompiled: boolean;
  readonly ms: number;
  readonly broken: readonly string[];
}

function look(
  document: HostileDocument,
  { name, limitMs }: { readonly name: string; readonly limitMs: number },
): Seen {
  const broken: string[] = [];
  let isAccepted = false;
  let isCompiled = false;
  let ms = 0;
  try {
    ms = measure(() => {
      const { source, diagnostics } = parse(document);
      isAccepted = source !== null;
      if (diagnostics.length !== (isAccepted ? 0 : 1)) broken.push(`${name}: diagnostics`);
    });
    ms = Math.max(
      ms,
      measure(() => {
        const result = compile(document);
        isCompiled = result.ok;
        if (result.ok ? !isAccepted : result.diagnostics.length === 0)
          broken.push(`${name}: result`);
        const isInternal = result.diagnostics.some(({ code }) => code === 'MF-I001');
        if (isInternal) broken.push(`${name}: internal`);
      }),
    );
    // What else ran at that moment may be to blame, so the slow are measured again, alone.
    if (ms > limitMs) {
      const again = [1, 2, 3].map(() =>
        Math.max(
          measure(() => parse(document)),
          measure(() => compile(document)),
        ),
      );
      ms = Math.min(...again);
      if (ms > limitMs) broken.push(`${name}: ${ms.toFixed(0)} ms`);
    }
  } catch (error) {
    broken.push(`${name}: ${String(error)}`);
  }
  return { isAccepted, isCompiled, ms, broken };
}

function measure(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function parse({ format, content }: HostileDocument) {
  return parseSource({ logicalPath: 'hostile', format, content });
}

function compile({ format, content }: HostileDocument) {
  return compileHarness(content, { ...input, request: { ...input.request, format } });
}

const { input } = readFixture('review');

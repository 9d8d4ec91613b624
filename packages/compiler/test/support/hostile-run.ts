import { compileHarness } from '@millforge/compiler';
import { parseSource } from '@millforge/source';
import { readFixture } from './fixtures.ts';
import { type HostileDocument, type HostileKind, hostileDocuments } from './hostile-documents.ts';
import { hostileHeaps } from './hostile-heaps.ts';

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

/** Processor time that one document may take, in milliseconds. */
export const LIMIT_MS = 50;

/** Settings of one run. */
export interface HostileOptions {
  /** How often a slow document is run again; 3 unless given, more where others use the machine too. */
  readonly tries?: number;
  /** Hears of every thousand documents. */
  readonly onProgress?: (done: number) => void;
}

/** Parses and compiles the documents of a seed and holds each to what is promised for all. */
export function runHostile(
  count: number,
  seed: number,
  options: HostileOptions = {},
): HostileFigures {
  const { tries = 3, onProgress } = options;
  warmUp();
  const documents = hostileDocuments(seed);
  const figures = { accepted: 0, compiled: 0, slowestMs: 0, broken: new Array<string>() };
  let slowestKind: HostileKind | null = null;
  let warm = 0;
  let peak = 0;
  for (let done = 1; done <= count; done += 1) {
    const document = documents.next().value;
    const seen = look(document, {
      name: `seed ${seed}, document ${done}, ${document.kind}`,
      tries,
      // What the parser refuses ends there; a share goes the whole way all the same.
      isAsked: done % 8 === 0,
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

/** Runs what is largest a few times, so that no document pays for making the code fast. */
export function warmUp(): void {
  if (isWarm) return;
  isWarm = true;
  const lines = Array.from({ length: 8000 }, (_, at) => `k${at}: ${at}`).join('\n');
  for (let time = 0; time < 3; time += 1) {
    for (const { content, input: surroundings } of hostileHeaps()) {
      compileHarness(content, surroundings);
    }
    compile({ kind: 'entries', format: 'yaml', content: lines });
  }
}

let isWarm = false;

interface LookOptions {
  readonly name: string;
  readonly tries: number;
  /** Whether to compile also what the parser refuses. */
  readonly isAsked: boolean;
}

interface Seen {
  readonly isAccepted: boolean;
  readonly isCompiled: boolean;
  readonly ms: number;
  readonly broken: readonly string[];
}

function look(document: HostileDocument, { name, tries, isAsked }: LookOptions): Seen {
  const broken: string[] = [];
  let isAccepted = false;
  let isCompiled = false;
  try {
    let ms = leastCpu(tries, () => {
      const { source, diagnostics } = parse(document);
      isAccepted = source !== null;
      if (diagnostics.length !== (isAccepted ? 0 : 1)) broken.push(`${name}: diagnostics`);
    });
    if (isAccepted || isAsked) {
      const compileMs = leastCpu(tries, () => {
        const result = compile(document);
        isCompiled = result.ok;
        if (result.ok ? !isAccepted : result.diagnostics.length === 0) {
          broken.push(`${name}: result`);
        }
        const isInternal = result.diagnostics.some(({ code }) => code === 'MF-I001');
        if (isInternal) broken.push(`${name}: internal`);
      });
      ms = Math.max(ms, compileMs);
    }
    if (ms > LIMIT_MS) broken.push(`${name}: ${ms.toFixed(0)} ms`);
    return { isAccepted, isCompiled, ms, broken };
  } catch (error) {
    return { isAccepted, isCompiled, ms: 0, broken: [`${name}: ${String(error)}`] };
  }
}

/** Processor time in milliseconds; what takes too long is run again, alone, and the least counts. */
export function leastCpu(tries: number, act: () => void): number {
  let least = measure(act);
  // What else ran at that moment may be to blame.
  for (let again = 0; again < tries && least > LIMIT_MS; again += 1) {
    least = Math.min(least, measure(act));
  }
  return least;
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
